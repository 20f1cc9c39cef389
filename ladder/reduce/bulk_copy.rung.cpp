// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung bulk_copy_rung() {
  rung r;
  r.name = "reduce/bulk-copy";
  r.title = "one lane orders a tile for the block";
  r.idea = "one instruction copies a tile, and an mbarrier counts its bytes";
  r.previous = "reduce/async-copy";
  r.changes = {{"__pipeline_wait_prior(copy_slots - 1);",
                "while (!::cuda::ptx::mbarrier_try_wait_parity(&arrived[slot], parity)) {"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.claims = {
      {.says = "the block meets at a barrier once a tile: before it is overwritten",
       .true_here = true,
       .applies = [](const evidence& e) { return e.current.options.n >= 4; },
       .test = [](const evidence& e) { return e.counts().barriers > e.before().barriers; },
       .counted = barriers_a_block},
      {.says = "less is read from global memory",
       .true_here = false,
       .applies = for_whole_warps,
       .test = sectors_fall,
       .counted = sectors_loaded},
  };
  return r;
}

}  // namespace onefold::ladder
