// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung sequential_rung() {
  rung r;
  r.name = "reduce/sequential";
  r.title = "the halves of the block folded onto each other";
  r.idea = "neighbouring lanes touch neighbouring words; the operator must commute";
  r.previous = "reduce/strided";
  r.file = "ladder/reduce/sequential.cuh";
  r.changes = {{"for (unsigned s = 1; s < blockDim.x; s *= 2)",
                "for (unsigned s = blockDim.x / 2; s > 0; s /= 2)"},
               {"if (left < blockDim.x)", "if (tid < s)"}};
  r.printed = {{"korean-notes", "Step 3"}, {"unlp-slides", "Solución 3"}};
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "no bank conflict is left",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.counts().shared_conflicts() == 0; },
       .counted = conflicts_a_block,
       .measured = conflicts_measured},
      {.says = "shared memory gets faster",
       .true_here = true,
       .applies = when_tree_spans_two_rows,
       .test = wavefronts_fall,
       .counted = wavefronts_a_block,
       .measured = wavefronts_measured},
      {.says = "it diverges less than the strided tree",
       .true_here = false,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return e.counts().divergent_branches < e.before().divergent_branches;
           },
       .counted = divergent_a_block,
       .measured = divergent_measured},
  };
  return r;
}

}  // namespace onefold::ladder
