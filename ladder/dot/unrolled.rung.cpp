// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung dot_unrolled_rung() {
  rung r;
  r.name = "dot/unrolled";
  r.title = "a tree for a block that the compiler knows";
  r.idea = "distances are constants; no counter is left to add to and to test";
  r.previous = "dot/conflict-free";
  r.changes = {{"for (unsigned s = blockDim.x / 2; s > 0; s /= 2)",
                "for (unsigned s = Block / 2; s > 0; s /= 2)"}};
  r.published_us = 57975.072;
  r.kind = work::dot;
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "memory sees no difference",
       .true_here = true,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             const simt::counts &now = e.counts(), &was = e.before();
             return now.shared_load == was.shared_load && now.shared_store == was.shared_store &&
                    now.global_load == was.global_load && now.global_store == was.global_store;
           },
       .counted = wavefronts_a_block,
       .measured = wavefronts_measured},
      {.says = "it saves barriers",
       .true_here = false,
       .applies = at_any_size,
       .test = barriers_fall,
       .counted = barriers_a_block},
      by_gpu("the counter, its test and its jump cost instructions", true, instructions_fall),
  };
  return r;
}

}  // namespace onefold::ladder
