// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung mask_rung() {
  rung r;
  r.name = "reduce/mask";
  r.title = "the remainder by a mask";
  r.idea = "the low bits of tid instead of a division; everything else stays";
  r.previous = "reduce/modulo";
  r.changes = {{"if (tid % (2 * s) == 0)", "if ((tid & (2 * s - 1)) == 0)"}};
  r.distance = growing_distance;
  r.claims = {
      {.says = "a mask diverges less than a remainder",
       .true_here = false,
       .applies = at_any_size,
       .test = divergence_falls,
       .counted = divergent_a_block},
      {.says = "only arithmetic changes: every count stays",
       .true_here = true,
       .applies = at_any_size,
       .test = counts_stay,
       .counted = wavefronts_a_block},
      by_gpu("the remainder is slow", true, instructions_halve),
  };
  return r;
}

}  // namespace onefold::ladder
