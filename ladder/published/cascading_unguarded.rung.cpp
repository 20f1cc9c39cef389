// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung published_cascading_unguarded_rung() {
  rung r;
  r.name = "published/cascading-unguarded";
  r.title = "cascading with a printed defect: the second load has no guard";
  r.idea = "n is compared with the first element of a pair only";
  r.previous = "reduce/cascading";
  r.changes = {{"if (at + Block < n) value = Operator::fold(value, in[at + Block]);",
                "value = Operator::fold(value, Operator::fold(in[at], in[at + Block]));"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.distance = shrinking_distance;
  r.verdict = "bounds, wrong value";
  r.shown_at.n = 1000;
  r.claims = {
      {.says = "any n will do",
       .true_here = false,
       .applies =
           [](const evidence& e) {
             return e.current.options.n % (2 * std::size_t{e.current.options.block}) != 0;
           },
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} is no multiple of {}", e.current.options.n,
                                2 * e.current.options.block);
           }},
  };
  return r;
}

}  // namespace onefold::ladder
