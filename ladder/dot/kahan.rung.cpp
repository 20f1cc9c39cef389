// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/errors.hpp"
#include "ladder/dot/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

bool with_as_many_blocks(const evidence& e) {
  return e.current.grid == e.previous->grid;
}

}  // namespace

rung dot_kahan_rung() {
  rung r;
  r.name = "dot/kahan";
  r.title = "sums that keep what their additions lose";
  r.idea = "each lane adds many products, sum and loss; the tree carries both";
  r.previous = "dot/last-warp";
  r.changes = {{"if (at < n) value = a[at] * b[at];", "value.add(multiply_rounded(a[at], b[at]));"},
               {"if (tid == 0) partials[blockIdx.x] = items[0];",
                "leave_compensated(value, sums, partials);"}};
  r.published_us = 120819.072;
  r.kind = work::dot;
  r.grid_stride = true;
  r.partial = partial_form::compensated;
  r.distance = shrinking_distance;
  r.appendix = [] { return to_text(usual_dot_errors()) + "\n" + article_times(); };
  r.claims = {
      {.says = "it reads more of global memory",
       .true_here = false,
       .applies = at_any_size,
       .test = sectors_rise,
       .counted = sectors_and_before},
      {.says = "the losses double what the tree stores",
       .true_here = true,
       .applies = with_as_many_blocks,
       .test =
           [](const evidence& e) {
             return e.counts().shared_store.wavefronts == 2 * e.before().shared_store.wavefronts;
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} wavefronts, was {}", e.counts().shared_store.wavefronts,
                                e.before().shared_store.wavefronts);
           }},
      by_gpu("the losses cost instructions", true, instructions_stay),
  };
  return r;
}

}  // namespace onefold::ladder
