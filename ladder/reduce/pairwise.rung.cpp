// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/errors.hpp"
#include "ladder/reduce/float_claims.hpp"
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung pairwise_rung() {
  rung r = float_sum("reduce/pairwise", "a tree of floats, down to the elements",
                     "each addition rounds; a tree has few of them between an element and the sum",
                     "reduce/one-launch");
  r.changes = {{"T value = fold_block<Operator>(fold_share<Operator>(in, n), warps);",
                "T value = fold_block<sum<T>>(tree.value(), warps);"}};
  r.appendix = [] { return to_text(usual_shuffled_sums()); };
  r.claims = {
      {.says = "a tree in each lane has to keep the lane's elements",
       .true_here = false,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return e.counts().global_store.requests > e.before().global_store.requests ||
                    wavefronts_rise(e);
           },
       .counted = wavefronts_a_block},
      {.says = "one launch gives the answer",
       .true_here = true,
       .applies = at_any_size,
       .test = one_launch_answers,
       .counted = launches},
  };
  return r;
}

}  // namespace onefold::ladder
