// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/exact_shape.hpp"
#include "ladder/reduce/float_claims.hpp"
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung interval_rung() {
  rung r = float_sum("reduce/interval", "two sums that enclose the exact one",
                     "rounded downward and upward: where both give one float, it is the answer",
                     "reduce/kahan");
  r.changes = {{"leave_compensated(fold_share_onto<compensated_sum<T>>(compensated<T>(), in, n), "
                "sums, pairs);",
                "interval value = fold_block_intervals(fold_share_onto<interval_sum>(nothing_yet, "
                "in, n), warps);"}};
  r.workspace_bytes = fallback_workspace_bytes;
  r.refuses = refuse_for_fallback;
  r.claims = {
      {.says = "to know that a sum is right one has to compute it exactly",
       .true_here = false,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.current.reads.repeatedly != 0; },
       .counted = repeated_reads},
      {.says = "the fallback is launched in any case, and ends at once",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.current.launches == 2; },
       .counted = launches},
  };
  return r;
}

}  // namespace onefold::ladder
