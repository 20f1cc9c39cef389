// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/errors.hpp"
#include "ladder/dot/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung dot_exact_rung() {
  rung r;
  r.name = "dot/exact";
  r.title = "one long integer a block";
  r.idea = "products are integers times powers of two, and integers add up in any order";
  r.previous = "dot/two-product";
  r.changes = {{"const with_error<T> product = two_product(a[at], b[at]);",
                "const exact_product product = multiply_exactly(a[at], b[at]);"},
               {"value.add(product.value, product.error);",
                "atomicAdd(&limbs[product.limb + k], product.digit(k));"}};
  r.kind = work::dot;
  r.any_block = true;
  r.grid_stride = true;
  r.partial = partial_form::exact;
  r.appendix = [] { return to_text(usual_dot_errors()); };
  r.claims = {
      {.says = "it reads more of global memory",
       .true_here = false,
       .applies = at_any_size,
       .test = sectors_rise,
       .counted = sectors_and_before},
      {.says = "two barriers are enough for any block",
       .true_here = true,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             const auto& o = e.current.options;
             return e.counts().barriers ==
                    2ull * e.current.grid * ((o.block + o.warp - 1) / o.warp);
           },
       .counted = barriers_a_block},
  };
  return r;
}

}  // namespace onefold::ladder
