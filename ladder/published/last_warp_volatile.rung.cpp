// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
rung published_last_warp_volatile_rung() {
  rung r;
  r.name = "published/last-warp-volatile";
  r.title = "last-warp with a printed defect: volatile for __syncwarp";
  r.idea = "what the compiler keeps in order the lanes need not";
  r.previous = "reduce/last-warp";
  r.changes = {{"__syncwarp(first_lanes(lanes));", "volatile T* const last = items;"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.verdict = "race, wrong value";
  r.claims = {
      {.says = "volatile keeps the lanes of a warp together",
       .true_here = false,
       .applies = when_lanes_meet,
       .test = no_race,
       .counted = racing_lines},
      {.says = "volatile has nvcc load and store a lane's sum in every step",
       .true_here = true,
       .applies = when_nvcc_is_recorded,
       .test =
           [](const evidence&) {
             const memory_instructions steps = last_steps("published/last-warp-volatile");
             return steps.loads == 12 && steps.stores == 6;
           },
       .counted =
           [](const evidence&) { return last_steps("published/last-warp-volatile").text(); }},
      {.says = "volatile has it stored to global memory",
       .true_here = false,
       .applies = when_lanes_meet,
       .test = [](const evidence& e) { return e.counts().global_store.requests > e.current.grid; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} stores to global memory, {} to shared, by {} blocks",
                                e.counts().global_store.requests, e.counts().shared_store.requests,
                                e.current.grid);
           }},
      {.says = "where the answer is right there is no race",
       .true_here = false,
       .applies = [](const evidence& e) { return when_lanes_meet(e) && e.current.right; },
       .test = no_race,
       .counted =
           [](const evidence& e) {
             return fmt::format("{} under schedule {}", e.current.verdict(),
                                to_string(e.current.options.order));
           },
       .at = [](trial_options& options) { options.order = simt::schedule::lockstep; }},
  };
  return r;
}

}  // namespace onefold::ladder
