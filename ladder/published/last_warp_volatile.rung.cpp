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

rung published_last_warp_volatile_rung() {
  rung r;
  r.name = "published/last-warp-volatile";
  r.title = "last-warp as printed: volatile for __syncwarp";
  r.idea = "what the compiler keeps in order the lanes need not";
  r.previous = "reduce/last-warp";
  r.file = "ladder/published/last_warp_volatile.cuh";
  r.changes = {{"__syncwarp(first_lanes(lanes));", "volatile T* const last = items;"}};
  r.printed = {{"korean-notes", "Step 5"},
               {"korean-notes", "Step 6"},
               {"korean-notes", "Step 7"},
               {"two-stage-notes", "listing 5: last warp"},
               {"two-stage-notes", "listing 7: template kernel"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.published = true;
  r.verdict = "race, wrong value";
  r.claims = {
      {.says = "volatile keeps the lanes of a warp together",
       .true_here = false,
       .applies = when_lanes_meet,
       .test = [](const evidence& e) { return e.current.places(simt::defect::race) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} pairs of lines race", e.current.places(simt::defect::race));
           }},
      {.says = "where the answer is right there is no race",
       .true_here = false,
       .applies = [](const evidence& e) { return when_lanes_meet(e) && e.current.right; },
       .test = [](const evidence& e) { return e.current.places(simt::defect::race) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} under schedule {}", e.current.verdict(),
                                to_string(e.current.options.order));
           }},
  };
  return r;
}

}  // namespace onefold::ladder
