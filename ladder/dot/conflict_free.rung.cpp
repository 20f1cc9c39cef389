// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung dot_conflict_free_rung() {
  rung r;
  r.name = "dot/conflict-free";
  r.title = "the halves of the block added onto each other";
  r.idea = "neighbouring lanes work, so whole warps drop out of a step";
  r.previous = "dot/tree";
  r.changes = {{"for (unsigned s = 1; s < blockDim.x; s *= 2)",
                "for (unsigned s = blockDim.x / 2; s > 0; s /= 2)"},
               {"if ((tid & mask) == 0)", "if (tid < s)"}};
  r.published_us = 71126.24;
  r.kind = work::dot;
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "it removes bank conflicts",
       .true_here = false,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return e.counts().shared_conflicts() < e.before().shared_conflicts();
           },
       .counted = conflicts_a_block,
       .measured = conflicts_measured},
      {.says = "shared memory gets faster",
       .true_here = true,
       .applies = when_tree_spans_two_rows,
       .test = wavefronts_fall,
       .counted = wavefronts_a_block,
       .measured = wavefronts_measured},
      {.says = "fewer branches diverge",
       .true_here = true,
       .applies =
           [](const evidence& e) { return e.current.options.block >= 2 * simt::max_warp_lanes; },
       .test = divergence_falls,
       .counted = divergent_a_block,
       .measured = divergent_measured},
      by_gpu("it executes fewer instructions", true, instructions_fall),
  };
  return r;
}

}  // namespace onefold::ladder
