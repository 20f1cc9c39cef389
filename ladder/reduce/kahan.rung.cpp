// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/exact_shape.hpp"
#include "ladder/reduce/float_claims.hpp"
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung kahan_rung() {
  rung r = float_sum("reduce/kahan", "every addition keeps what it rounds off",
                     "the error of an addition is a float too; a second sum adds the errors up",
                     "reduce/pairwise");
  r.changes = {{"T value = fold_block<sum<T>>(tree.value(), warps);",
                "leave_compensated(fold_share_onto<compensated_sum<T>>(compensated<T>(), in, n), "
                "sums, pairs);"}};
  r.workspace_bytes = fallback_workspace_bytes;
  r.refuses = refuse_many_pairs;
  r.claims = {
      {.says = "a compensated sum reads its input twice",
       .true_here = false,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.current.reads.repeatedly != 0; },
       .counted = repeated_reads},
      {.says = "it moves more bytes: two partials a block",
       .true_here = true,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return e.counts().global_store.requests > e.before().global_store.requests;
           },
       .counted = sectors_moved},
  };
  return r;
}

}  // namespace onefold::ladder
