// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung published_identity_zero_rung() {
  rung r;
  r.name = "published/identity-zero";
  r.title = "two-stage with a printed defect: lanes start from zero";
  r.idea = "zero changes nothing in a sum, and only there";
  r.previous = "reduce/two-stage";
  r.changes = {{"T value = Operator::identity;", "T value = T(0);"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.distance = shrinking_distance;
  r.verdict = "wrong value";
  r.shown_at.op = operation::maximum;
  r.claims = {
      {.says = "zero will do for any operator",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.op != operation::sum; },
       .test = answer_is_right,
       .counted = answers},
      {.says = "zero will do for a sum",
       .true_here = true,
       .applies = [](const evidence& e) { return e.current.options.op == operation::sum; },
       .test = answer_is_right,
       .counted = answers},
  };
  return r;
}

}  // namespace onefold::ladder
