// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/published/image.hpp"

namespace onefold::ladder {

// The kernel is the rung's, to the letter; what its print leaves out is the clearing before it.
rung published_rows_atomic_rung() {
  rung r;
  r.name = "published/rows-atomic";
  r.title = "rows-atomic with a printed defect: nothing clears the sums";
  r.idea = "chunks are added to whatever the output holds";
  r.previous = "image/rows-atomic";
  r.file = "ladder/image/rows_atomic.cuh";
  r.kind = work::row_sums;
  r.tile = block_of_chunks;
  r.any_block = true;
  r.refuses = refuse_for_rows;
  r.verdict = "uninitialised, wrong value";
  r.shown_at.type = element::uint8;
  r.claims = {
      {.says = "it sums the rows",
       .true_here = false,
       .applies = [](const evidence& e) { return shape_of(e).height != 0; },
       .test = [](const evidence& e) { return e.current.right; },
       .counted = [](const evidence& e) { return e.current.answer; }},
  };
  return r;
}

}  // namespace onefold::ladder
