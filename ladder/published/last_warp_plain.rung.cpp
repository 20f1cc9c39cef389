// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {
rung published_last_warp_plain_rung() {
  rung r;
  r.name = "published/last-warp-plain";
  r.title = "last-warp with a printed defect: neither volatile nor __syncwarp";
  r.idea = "each lane runs through its steps as if it were alone";
  r.previous = "reduce/last-warp";
  r.changes = {{"__syncwarp(first_lanes(lanes));", "if (tid < lanes) {"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.verdict = "race, wrong value";
  r.claims = {
      {.says = "the lanes of a warp need no barrier",
       .true_here = false,
       .applies = when_lanes_meet,
       .test = no_race,
       .counted = racing_lines},
      {.says = "without volatile nvcc stores a lane's sum in every step",
       .true_here = false,
       .applies = when_nvcc_is_recorded,
       .test = [](const evidence&) { return last_steps("published/last-warp-plain").stores == 6; },
       .counted = [](const evidence&) { return last_steps("published/last-warp-plain").text(); }},
  };
  return r;
}

}  // namespace onefold::ladder
