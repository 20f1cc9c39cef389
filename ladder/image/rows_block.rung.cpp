// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/image/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung rows_block_rung() {
  rung r;
  r.name = "image/rows-block";
  r.title = "sums of rows, a block a row";
  r.idea = "lanes stride along one row together; the block folds their sums";
  r.previous = "image/rows-atomic";
  r.changes = {{"for (unsigned x = begin; x < end; ++x)",
                "for (unsigned x = tid; x < width; x += blockDim.x)"},
               {"atomicAdd(&sums[y], sum);", "if (tid == 0) sums[y] = value;"}};
  r.kind = work::row_sums;
  r.tile = one_row;
  r.refuses = refuse_for_rows;
  r.claims = {
      {.says = "the lanes of a warp load one run of pixels",
       .true_here = true,
       .applies = for_whole_sectors,
       .test = loads_one_sector,
       .counted = load_sectors_a_request},
      {.says = "a 32nd of the sectors is requested",
       .true_here = true,
       .applies = for_whole_sectors,
       .test =
           [](const evidence& e) {
             return simt::max_warp_lanes * e.counts().global_load.sectors ==
                    e.before().global_load.sectors;
           },
       .counted = sectors_and_before},
      {.says = "every sum is stored once, and nothing has to be cleared",
       .true_here = true,
       .applies = at_any_size,
       .test =
           [](const evidence& e) { return e.counts().global_store.requests == shape_of(e).height; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} stores, {} rows", e.counts().global_store.requests,
                                shape_of(e).height);
           }},
      by_gpu("folding in the block costs instructions", true, instructions_stay),
  };
  return r;
}

}  // namespace onefold::ladder
