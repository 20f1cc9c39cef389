// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung dot_tree_rung() {
  rung r;
  r.name = "dot/tree";
  r.title = "the products added by a tree, interleaved";
  r.idea = "lanes whose low bits are zero add the product s further on: log2 B steps, not B";
  r.previous = "dot/serial";
  r.changes = {{"for (unsigned i = 0; i < blockDim.x; ++i) total += items[i];",
                "if ((tid & mask) == 0) items[tid] += items[tid + s];"}};
  r.published_us = 114682.144;
  r.kind = work::dot;
  r.distance = growing_distance;
  r.claims = {
      {.says = "fewer loads from shared memory than by lane 0 alone",
       .true_here = true,
       // Of 4 products a tree loads 5 values.
       .applies = [](const evidence& e) { return e.current.options.block >= 8; },
       .test =
           [](const evidence& e) {
             return e.counts().shared_load.requests < e.before().shared_load.requests;
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} requests, was {}", e.counts().shared_load.requests,
                                e.before().shared_load.requests);
           }},
      {.says = "a mask in place of % ends the divergence",
       .true_here = false,
       .applies = when_lanes_pair_up,
       .test = [](const evidence& e) { return e.counts().divergent_branches == 0; },
       .counted = divergent_a_block,
       .measured = divergent_measured},
      {.says = "its shared memory accesses conflict",
       .true_here = false,
       .applies = at_any_size,
       .test = conflicts,
       .counted = conflicts_a_block,
       .measured = conflicts_measured},
      by_gpu("a tree spares instructions", false, instructions_fall),
      by_gpu("fewer lanes stand idle than when one adds", true, more_lanes_work, working_lanes),
  };
  return r;
}

}  // namespace onefold::ladder
