// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/exact_shape.hpp"
#include "ladder/reduce/float_claims.hpp"
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung integers_rung() {
  rung r = float_sum("reduce/integers", "whole numbers below the largest exponent",
                     "in units of the smallest bit that counts, floats are integers: any order",
                     "reduce/interval");
  r.changes = {{"interval value = fold_block_intervals(fold_share_onto<interval_sum>(nothing_yet, "
                "in, n), warps);",
                "const lane_integer lane = fold_share_onto<integer_sum>(lane_integer{0, largest}, "
                "in, n);"}};
  r.workspace_bytes = fallback_workspace_bytes;
  r.refuses = refuse_for_fallback;
  r.claims = {
      {.says = "the input is read twice: for the largest exponent, and for the sum",
       .true_here = true,
       .applies = [](const evidence& e) { return e.current.options.n != 0; },
       .test = [](const evidence& e) { return e.current.reads.repeatedly == e.current.options.n; },
       .counted = repeated_reads},
      {.says = "a warp's integers are added by shuffles",
       .true_here = false,
       .applies = at_any_size,
       // Of the first launch one a warp, of the second five.
       .test =
           [](const evidence& e) {
             return e.counts().reductions < std::uint64_t{e.current.grid} * 6 * warps_of(e);
           },
       .counted = [](const evidence& e) { return fmt::format("{} REDUX", e.counts().reductions); }},
  };
  return r;
}

}  // namespace onefold::ladder
