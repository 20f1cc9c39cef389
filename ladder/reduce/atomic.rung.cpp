// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung atomic_rung() {
  rung r;
  r.name = "reduce/atomic";
  r.title = "one atomic update an element";
  r.idea = "every lane folds its element onto one value, so there is nothing left to fold";
  r.file = "ladder/reduce/atomic.cuh";
  r.one_value = true;
  r.any_block = true;
  r.onto_identity = true;
  r.claims = {
      {.says = "it needs no barrier",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.counts().barriers == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} warps at barriers", e.counts().barriers);
           }},
      {.says = "one launch gives the answer",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.mine.launches == 1 && e.mine.right; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} launch, {} blocks", e.mine.launches, e.mine.grid);
           }},
  };
  return r;
}

}  // namespace onefold::ladder
