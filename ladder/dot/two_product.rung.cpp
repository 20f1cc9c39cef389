// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/errors.hpp"
#include "ladder/dot/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung dot_two_product_rung() {
  rung r;
  r.name = "dot/two-product";
  r.title = "products that keep their errors too";
  r.idea = "one fused multiply-add finds what rounding took from a product";
  r.previous = "dot/kahan";
  r.changes = {
      {"value.add(multiply_rounded(a[at], b[at]));", "value.add(product.value, product.error);"}};
  r.kind = work::dot;
  r.grid_stride = true;
  r.partial = partial_form::compensated;
  r.distance = shrinking_distance;
  r.appendix = [] { return to_text(usual_dot_errors()); };
  r.claims = {
      {.says = "twice the precision costs memory traffic",
       .true_here = false,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return e.counts().shared_wavefronts() > e.before().shared_wavefronts() ||
                    e.counts().global_load.sectors > e.before().global_load.sectors;
           },
       .counted = wavefronts_a_block},
      {.says = "loads from global memory are coalesced",
       .true_here = true,
       .applies = for_whole_warps,
       .test = loads_ideal_sectors,
       .counted = sectors_a_request},
  };
  return r;
}

}  // namespace onefold::ladder
