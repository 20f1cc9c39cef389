// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung published_cascading_step_rung() {
  rung r;
  r.name = "published/cascading-step";
  r.title = "cascading with a printed defect: steps of one block";
  r.idea = "each block folds all that lies behind its start, twice";
  r.previous = "reduce/cascading";
  r.changes = {{"at += round", "at += Block"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.distance = shrinking_distance;
  r.verdict = "wrong value";
  r.claims = {
      {.says = "it sums the array",
       .true_here = false,
       .applies =
           [](const evidence& e) {
             return e.current.options.op == operation::sum &&
                    e.current.options.n > e.current.options.block;
           },
       .test = answer_is_right,
       .counted = answers},
      {.says = "it reads every element once",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.n > e.current.options.block; },
       .test = [](const evidence& e) { return e.current.reads.once == e.current.options.n; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} more than once", e.current.reads.repeatedly);
           }},
  };
  return r;
}

}  // namespace onefold::ladder
