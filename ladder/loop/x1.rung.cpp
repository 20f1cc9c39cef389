// SPDX-License-Identifier: Apache-2.0
#include "ladder/loop/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung loop_x1_rung() {
  rung r;
  r.name = "loop/x1";
  r.title = "two vectors added, one element a round";
  r.idea = "a lane steps by the number of all lanes, so any grid covers any n";
  r.kind = work::vector_add;
  r.any_block = true;
  r.grid_stride = true;
  r.claims = {
      loads_are_coalesced(),
      {.says = "the loop's test splits warps",
       .true_here = false,
       .applies = for_whole_warps,
       .test = branches_diverge,
       .counted = divergent_branches,
       .measured = divergent_measured},
  };
  return r;
}

}  // namespace onefold::ladder
