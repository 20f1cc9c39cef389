// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

/// From four lanes on a lane of the last warp reads what another one writes.
bool when_lanes_meet(const evidence& e) {
  return e.current.options.block >= 4;
}

}  // namespace

rung published_last_warp_plain_rung() {
  rung r;
  r.name = "published/last-warp-plain";
  r.title = "last-warp as printed: neither volatile nor __syncwarp";
  r.idea = "each lane runs through its steps as if it were alone";
  r.previous = "reduce/last-warp";
  r.file = "ladder/published/last_warp_plain.cuh";
  r.changes = {{"__syncwarp(first_lanes(lanes));", "if (tid < lanes) {"}};
  r.printed = {{"unlp-slides", "Solución 5, slide 20"},
               {"unlp-slides", "Solución 6, slide 23"},
               {"unlp-slides", "Solución 7, slide 28"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.published = true;
  r.verdict = "race, wrong value";
  r.claims = {
      {.says = "the lanes of a warp need no barrier",
       .true_here = false,
       .applies = when_lanes_meet,
       .test = [](const evidence& e) { return e.current.places(simt::defect::race) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} pairs of lines race", e.current.places(simt::defect::race));
           }},
  };
  return r;
}

}  // namespace onefold::ladder
