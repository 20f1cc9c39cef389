// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung last_warp_rung() {
  rung r;
  r.name = "reduce/last-warp";
  r.title = "no barrier of the block for the last warp";
  r.idea = "from distance 32 down only the first warp works, and its lanes need only each other";
  r.previous = "reduce/first-add";
  r.changes = {{"for (unsigned s = blockDim.x / 2; s > 0; s /= 2)", "for (; s > lanes; s /= 2)"},
               {"__syncthreads();", "__syncwarp(first_lanes(lanes));"}};
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
       // More than the first warps of all blocks execute: theirs is one warp's part of the sum.
       .test =
           [](const evidence& e) {
             const std::uint64_t now = e.recorded->instructions;
             return (e.recorded_before->instructions - now) * warps_of(e) >
                    e.recorded_before->instructions;
           },
       .counted =
           [](const evidence& e) {
             const std::uint64_t before = e.recorded_before->instructions;
             return fmt::format("{}: {} fewer, and one warp of {} had {}", instructions(e),
                                before - e.recorded->instructions, warps_of(e),
                                before / warps_of(e));
           },
       .judged_by = witness::gpu},
      by_gpu("fewer lanes stand idle", true, more_lanes_work, working_lanes),
  };
  return r;
}

}  // namespace onefold::ladder
