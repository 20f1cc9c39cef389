// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung strided_rung() {
  rung r;
  r.name = "reduce/strided";
  r.title = "the same tree, worked by neighbouring lanes";
  r.idea = "lane t takes the pair of lane 2st, so working lanes fill whole warps";
  r.previous = "reduce/mask";
  r.changes = {{"if ((tid & (2 * s - 1)) == 0)", "const unsigned left = 2 * s * tid;"}};
  r.distance = growing_distance;
  r.claims = {
      {.says = "no divergent branch is left",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.block > 1; },
       .test = [](const evidence& e) { return e.counts().divergent_branches == 0; },
       .counted = divergent_a_block,
       .measured = divergent_measured},
      {.says = "it introduces bank conflicts",
       .true_here = true,
       .applies = when_tree_spans_two_rows,
       .test = conflicts,
       .counted = conflicts_a_block,
       .measured = conflicts_measured},
      {.says = "shared memory gets slower",
       .true_here = false,
       .applies = at_any_size,
       .test = wavefronts_rise,
       .counted = wavefronts_a_block,
       .measured = wavefronts_measured},
      {.says = "distance s is a 2s-way conflict in every step",
       .true_here = false,
       .applies = when_tree_spans_two_rows,
       .test = [](const evidence& e) { return e.counts().worst_ways() == e.current.options.block; },
       .counted =
           [](const evidence& e) {
             return fmt::format("worst {}-way, 2s reaches {}", e.counts().worst_ways(),
                                e.current.options.block);
           }},
      {.says = "bank conflicts spoil coalescing",
       .true_here = false,
       .applies = at_any_size,
       .test = sectors_rise,
       .counted = sectors_loaded},
      by_gpu("less divergence: more lanes of an instruction work", false, more_lanes_work,
             working_lanes),
      by_gpu("it executes fewer instructions", false, instructions_fall),
  };
  return r;
}

}  // namespace onefold::ladder
