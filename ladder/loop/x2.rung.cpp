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
  r.file = "ladder/loop/x2.cuh";
  r.changes = {{"for (; at < n; at += lanes) sums[at] = a[at] + b[at];",
                "for (; at + lanes < n; at += 2 * lanes) {"}};
  r.printed = {{"two-stage-notes", "Loop unrolled by two"}};
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
      {.says = "loads from global memory are coalesced",
       .true_here = true,
       .applies = for_whole_warps,
       .test = loads_ideal_sectors,
       .counted = sectors_a_request,
       .measured = sectors_measured},
      {.says = "fewer tests: fewer instructions",
       .true_here = true,
       .applies = at_any_size,
       .test = instructions_fall,
       .counted = instructions,
       .judged_by = witness::gpu},
      {.says = "half the tests, half the instructions",
       .true_here = false,
       .applies = at_any_size,
       .test = instructions_halve,
       .counted = instructions,
       .judged_by = witness::gpu},
  };
  return r;
}

}  // namespace onefold::ladder
