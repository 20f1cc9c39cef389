// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung dependent_launch_rung() {
  rung r;
  r.name = "reduce/dependent-launch";
  r.title = "a second launch that begins early";
  r.idea = "the launch that folds the partials is on the GPU before the first one has ended";
  r.previous = "reduce/vector";
  r.changes = {{"const T value = fold_block<Operator>(fold_share<Operator>(in, n), warps);",
                "wait_for_launch_before();"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.one_value = true;
  r.claims = {
      {.says = "two launches give the answer",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.current.launches == 2; },
       .counted = launches},
      {.says = "the two launches meet by an atomic update or a fence",
       .true_here = false,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return e.counts().global_atomic.requests + e.counts().fences != 0;
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} updates, {} fences", e.counts().global_atomic.requests,
                                e.counts().fences);
           }},
  };
  return r;
}

}  // namespace onefold::ladder
