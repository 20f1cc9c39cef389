// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung published_unrolled_limits_rung() {
  rung r;
  r.name = "published/unrolled-limits";
  r.title = "unrolled with a printed defect: 32 lanes in the last warp of any block";
  r.idea = "a block of 32 or fewer has no word 16 further on for its upper lanes";
  r.previous = "reduce/unrolled";
  r.changes = {{"if (Block >= 32) warp_step<Operator, 16>(items, tid, lanes);",
                "value = Operator::fold(items[tid], items[tid + s]);"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.verdict = "bounds";
  r.shown_at.block = 16;
  r.claims = {
      {.says = "a small block stays inside its shared array",
       .true_here = false,
       .applies =
           [](const evidence& e) {
             return e.current.options.block > 1 && e.current.options.block <= 32;
           },
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted = lines_outside},
  };
  return r;
}

}  // namespace onefold::ladder
