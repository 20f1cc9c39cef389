// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {
namespace {

bool when_warps_meet(const evidence& e) {
  return e.current.options.block > e.current.options.warp;
}

}  // namespace

rung published_last_warp_unbraced_rung() {
  rung r;
  r.name = "published/last-warp-unbraced";
  r.title = "last-warp with a printed defect: an if without braces";
  r.idea = "the guard holds for the first of six steps only";
  r.previous = "reduce/last-warp";
  r.changes = {{"if (tid >= lanes) return;",
                "if (tid < lanes) items[tid] = Operator::fold(items[tid], items[tid + lanes]);"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.verdict = "bounds, race, wrong value";
  r.claims = {
      {.says = "the if guards all six steps",
       .true_here = false,
       .applies = when_lanes_meet,
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted = lines_outside},
      {.says = "only the lanes of one warp race",
       .true_here = false,
       .applies = when_warps_meet,
       .test = no_race,
       .counted = racing_lines},
  };
  return r;
}

}  // namespace onefold::ladder
