// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung two_stage_rung() {
  rung r;
  r.name = "reduce/two-stage";
  r.title = "one kernel for elements and for partials";
  r.idea = "any grid and any block fold any n, so the kernel can run again over its own partials";
  r.previous = "reduce/cascading";
  r.changes = {{"std::size_t{gridDim.x} * (2 * Block)", "std::size_t{gridDim.x} * blockDim.x"},
               {"unsigned s = Block / 2;", "unsigned s = blockDim.x / 2;"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "the answer is complete when the launch ends",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.grid > 1; },
       .test = [](const evidence& e) { return e.counts().global_store.requests == 1; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} partials are left to fold", e.counts().global_store.requests);
           }},
      {.says = "a run-time block size costs shared memory accesses",
       .true_here = false,
       .applies = at_any_size,
       .test = wavefronts_rise,
       .counted = wavefronts_a_block},
      {.says = "one load a round instead of two doubles the requests",
       .true_here = false,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return e.counts().global_load.requests > e.before().global_load.requests;
           },
       .counted = requests_and_before},
      by_gpu("a run-time block size costs instructions", true, instructions_stay),
  };
  return r;
}

}  // namespace onefold::ladder
