// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <bit>

namespace onefold::ladder {

rung global_rung() {
  rung r;
  r.name = "reduce/global";
  r.title = "a tree in global memory";
  r.idea = "neighbours are folded, then neighbouring pairs, then fours, with a barrier a step";
  r.previous = "reduce/atomic";
  r.changes = {{"if (at < n) fold_onto<Operator>(total, in[at]);",
                "items[at] = Operator::fold(items[at], items[at + s]);"}};
  r.needs_scratch = true;
  r.distance = growing_distance;
  r.claims = {
      {.says = "global memory is read once",
       .true_here = false,
       .applies =
           [](const evidence& e) { return e.current.options.n > 1 && e.current.options.block > 1; },
       .test = loads_each_sector_once,
       .counted = sectors_loaded},
      {.says = "every step has its barrier",
       .true_here = true,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return e.counts().barriers ==
                    e.current.grid * warps_of(e) * (1 + std::countr_zero(e.current.options.block));
           },
       .counted = barriers_a_block},
  };
  return r;
}

}  // namespace onefold::ladder
