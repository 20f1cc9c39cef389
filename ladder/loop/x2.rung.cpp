// SPDX-License-Identifier: Apache-2.0
#include "ladder/loop/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung loop_x2_rung() {
  rung r;
  r.name = "loop/x2";
  r.title = "the loop unrolled by two";
  r.idea = "half the steps and tests, four loads on their way; one element may be left over";
  r.previous = "loop/x1";
  r.changes = {{"for (; at < n; at += lanes) sums[at] = a[at] + b[at];",
                "for (; at + lanes < n; at += 2 * lanes) {"}};
  r.kind = work::vector_add;
  r.any_block = true;
  r.items_per_lane = 2;
  r.grid_stride = true;
  r.claims = {
      {.says = "half as many lanes do the work",
       .true_here = true,
       .applies = each_lane_has<2>,
       .test = half_the_lanes,
       .counted = lanes},
      {.says = "it saves requests to memory",
       .true_here = false,
       .applies = for_whole_warps,
       .test = fewer_requests,
       .counted = requests},
      loads_are_coalesced(),
      by_gpu("fewer tests: fewer instructions", true, instructions_fall),
      by_gpu("half the tests, half the instructions", false, instructions_halve),
  };
  return r;
}

}  // namespace onefold::ladder
