// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung shuffle_rung() {
  rung r;
  r.name = "reduce/shuffle";
  r.title = "lanes hand each other their registers";
  r.idea = "only one value a warp goes through shared memory, and one barrier is left";
  r.previous = "reduce/two-stage";
  r.changes = {
      {"items[tid] = Operator::fold(items[tid], items[tid + s]);",
       "value = Operator::fold(value, __shfl_down_sync(first_lanes(lanes), value, s, lanes));"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.claims = {
      {.says = "one barrier a block is left",
       .true_here = true,
       .applies = at_any_size,
       .test =
           [](const evidence& e) { return e.counts().barriers == e.current.grid * warps_of(e); },
       .counted = barriers_a_block},
      {.says = "shared memory gets faster",
       .true_here = true,
       .applies = when_lanes_pair_up,
       .test = wavefronts_fall,
       .counted = wavefronts_a_block},
      {.says = "without a tree there is less divergence",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.block >= 128; },
       .test = divergence_falls,
       .counted = divergent_a_block},
      by_gpu("shuffles spare instructions", false, instructions_fall),
  };
  return r;
}

}  // namespace onefold::ladder
