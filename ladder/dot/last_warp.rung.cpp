// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung dot_last_warp_rung() {
  rung r;
  r.name = "dot/last-warp";
  r.title = "no barrier of the block for its last warp";
  r.idea = "a step that one warp works is ordered by __syncwarp; the others have left";
  r.previous = "dot/unrolled";
  r.changes = {{"for (unsigned s = Block / 2; s > 0; s /= 2)", "for (; s > lanes; s /= 2)"},
               {"__syncthreads();", "__syncwarp(first_lanes(lanes));"}};
  r.published_us = 49489.856;
  r.kind = work::dot;
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "fewer warps wait at barriers",
       .true_here = true,
       .applies = when_lanes_pair_up,
       .test = barriers_fall,
       .counted = barriers_a_block},
      {.says = "shared memory gets faster",
       .true_here = false,
       .applies = at_any_size,
       .test = wavefronts_fall,
       .counted = wavefronts_a_block,
       .measured = wavefronts_measured},
      {.says = "it races",
       .true_here = false,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.current.places(simt::defect::race) > 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} places", e.current.places(simt::defect::race));
           }},
      by_gpu("warps without a lane in a step execute less", true, instructions_fall),
  };
  return r;
}

}  // namespace onefold::ladder
