// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung one_launch_rung() {
  rung r;
  r.name = "reduce/one-launch";
  r.title = "the last block folds the partials";
  r.idea = "a ticket tells the block that ends last, a fence shows it what the others wrote";
  r.previous = "reduce/vector";
  r.changes = {{"if (threadIdx.x == 0) partials[blockIdx.x] = value;",
                "is_last = draw_last_ticket(ticket);"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.one_value = true;
  r.claims = {
      {.says = "one launch gives the answer",
       .true_here = true,
       .applies = at_any_size,
       .test = one_launch_answers,
       .counted = launches},
      {.says = "a second barrier a block, and one more in the last",
       .true_here = true,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return e.counts().barriers == 2 * e.before().barriers + warps_of(e);
           },
       .counted = barriers_a_block},
      {.says = "the input is read twice",
       .true_here = false,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.current.reads.repeatedly != 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} elements read twice", e.current.reads.repeatedly);
           }},
  };
  return r;
}

}  // namespace onefold::ladder
