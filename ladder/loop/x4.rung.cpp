// SPDX-License-Identifier: Apache-2.0
#include "ladder/loop/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung loop_x4_rung() {
  rung r;
  r.name = "loop/x4";
  r.title = "the loop unrolled by four";
  r.idea = "a quarter of the steps and tests; what is left over takes a loop again";
  r.previous = "loop/x2";
  r.changes = {{"for (; at + lanes < n; at += 2 * lanes) {",
                "for (; at + 3 * lanes < n; at += 4 * lanes) {"},
               {"if (at < n) sums[at] = a[at] + b[at];",
                "for (; at < n; at += lanes) sums[at] = a[at] + b[at];"}};
  r.kind = work::vector_add;
  r.any_block = true;
  r.items_per_lane = 4;
  r.grid_stride = true;
  r.claims = {
      {.says = "half as many lanes do the work",
       .true_here = true,
       .applies = each_lane_has<4>,
       .test = half_the_lanes,
       .counted = lanes},
      {.says = "it saves requests to memory",
       .true_here = false,
       .applies = for_whole_warps,
       .test = fewer_requests,
       .counted = requests},
      {.says = "the loop for the rest splits warps",
       .true_here = false,
       .applies = for_whole_warps,
       .test = branches_diverge,
       .counted = divergent_branches,
       .measured = divergent_measured},
      by_gpu("fewer tests: fewer instructions", true, instructions_fall),
      by_gpu("half the tests, half the instructions", false, instructions_halve),
  };
  return r;
}

}  // namespace onefold::ladder
