// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung unrolled_rung() {
  rung r;
  r.name = "reduce/unrolled";
  r.title = "a block size that the compiler knows";
  r.idea = "distances are constants, so the steps are written out and the loop is gone";
  r.previous = "reduce/last-warp";
  r.file = "ladder/reduce/unrolled.cuh";
  r.changes = {
      {"unsigned s = blockDim.x / 2;", "unsigned s = Block / 2;"},
      {"template <class T, class Operator>", "template <class T, class Operator, unsigned Block>"}};
  r.printed = {{"korean-notes", "Step 6"},
               {"unlp-slides", "Solución 6, slide 22"},
               {"unlp-slides", "Solución 6, slide 23"},
               {"unlp-slides", "Solución 6, slide 24"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "only the instructions of the loop go: every count stays",
       .true_here = true,
       .applies = at_any_size,
       .test = counts_stay,
       .counted = wavefronts_a_block},
      {.says = "a known size needs fewer barriers",
       .true_here = false,
       .applies = at_any_size,
       .test = barriers_fall,
       .counted = barriers_a_block},
      {.says = "addresses and the loop are an overhead of instructions",
       .true_here = true,
       .applies = at_any_size,
       .test = instructions_fall,
       .counted = instructions,
       .judged_by = witness::gpu},
  };
  return r;
}

}  // namespace onefold::ladder
