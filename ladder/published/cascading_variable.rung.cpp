// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung published_cascading_variable_rung() {
  rung r;
  r.name = "published/cascading-variable";
  r.title = "cascading with a printed defect: the wrong variable is incremented";
  r.idea = "the loop tests one variable and moves the other";
  r.previous = "reduce/cascading";
  r.changes = {{"at += round", "i = i + round;"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.distance = shrinking_distance;
  r.verdict = "no progress, wrong value";
  r.shown_at.n = 8;
  r.shown_at.block = 4;
  r.claims = {
      {.says = "the loop ends",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.n > 0; },
       .test = [](const evidence& e) { return e.current.places(simt::defect::no_progress) == 0; },
       .counted =
           [](const evidence& e) {
             return std::string(e.current.places(simt::defect::no_progress) == 0
                                    ? "it does"
                                    : "no lane gets past it");
           }},
  };
  return r;
}

}  // namespace onefold::ladder
