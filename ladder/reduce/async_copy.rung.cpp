// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung async_copy_rung() {
  rung r;
  r.name = "reduce/async-copy";
  r.title = "loads that wait in shared memory";
  r.idea = "a copy past the registers, two slots a lane: one fills while the other is folded";
  r.previous = "reduce/vector";
  r.changes = {{"const T value = fold_block<Operator>(fold_share<Operator>(in, n), warps);",
                "const vector_of<T> copied = *slot;"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.claims = {
      {.says = "what is copied to shared memory needs a barrier before it is read",
       .true_here = false,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.counts().barriers > e.before().barriers; },
       .counted = barriers_a_block},
      {.says = "less is read from global memory",
       .true_here = false,
       .applies = for_whole_warps,
       .test = sectors_fall,
       .counted = sectors_loaded},
      {.says = "every element is read once more, from shared memory",
       .true_here = true,
       .applies = [](const evidence& e) { return for_whole_warps(e) && e.current.options.n != 0; },
       .test = wavefronts_rise,
       .counted = wavefronts_a_block},
  };
  return r;
}

}  // namespace onefold::ladder
