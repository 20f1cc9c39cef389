// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung last_warp_rung() {
  rung r;
  r.name = "reduce/last-warp";
  r.title = "no barrier of the block for the last warp";
  r.idea = "from distance 32 down only the first warp works, and its lanes need only each other";
  r.previous = "reduce/first-add";
  r.file = "ladder/reduce/last_warp.cuh";
  r.changes = {{"for (unsigned s = blockDim.x / 2; s > 0; s /= 2)", "for (; s > lanes; s /= 2)"},
               {"__syncthreads();", "__syncwarp(first_lanes(lanes));"}};
  r.printed = {{"korean-notes", "Step 5"}, {"unlp-slides", "Solución 5, slide 20"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "a block of one warp has one barrier left, behind its loads",
       .true_here = true,
       .applies = [](const evidence& e) { return warps_of(e) == 1; },
       .test = [](const evidence& e) { return e.counts().barriers == e.current.grid; },
       .counted = barriers_a_block},
      {.says = "fewer barriers",
       .true_here = true,
       .applies = when_lanes_pair_up,
       .test = barriers_fall,
       .counted = barriers_a_block},
      {.says = "it diverges less",
       .true_here = false,
       .applies = at_any_size,
       .test = divergence_falls,
       .counted = divergent_a_block},
      {.says = "shared memory gets faster",
       .true_here = false,
       .applies = at_any_size,
       .test = wavefronts_fall,
       .counted = wavefronts_a_block},
      {.says = "unrolling saves useless work in all warps",
       .true_here = true,
       .applies = at_any_size,
       .test = instructions_fall,
       .counted = instructions,
       .judged_by = witness::gpu},
      {.says = "fewer lanes stand idle",
       .true_here = true,
       .applies = at_any_size,
       .test = more_lanes_work,
       .counted = working_lanes,
       .judged_by = witness::gpu},
  };
  return r;
}

}  // namespace onefold::ladder
