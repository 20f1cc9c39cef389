// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/dot.hpp"
#include "ladder/published/dot_block.cuh"
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {

rung published_dot_unrolled_rung() {
  rung r;
  r.name = "published/dot-unrolled";
  r.title = "dot/unrolled with a printed defect: a first step of 256 in any block";
  r.idea = "a block below 512 has no product 256 further on";
  r.previous = "dot/unrolled";
  r.changes = {
      {"for (unsigned s = Block / 2; s > 0; s /= 2)", "for (unsigned s = 256; s > 0; s /= 2)"}};
  r.published_us = 57975.072;
  r.kind = work::dot;
  r.distance = shrinking_distance;
  r.verdict = "bounds";
  r.shown_at = {.n = 4096, .block = 256, .type = element::float32};
  r.claims = {
      {.says = "a block below 512 stays inside its shared array",
       .true_here = false,
       .applies =
           [](const evidence& e) {
             return with_whole_blocks(e) && e.current.options.block < published::dot_block;
           },
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted = lines_outside},
      {.says = "a block of 512 gives the dot product",
       .true_here = true,
       .applies = [](const evidence& e) { return with_whole_blocks(e) && launched_as_printed(e); },
       .test = [](const evidence& e) { return e.current.clean(); },
       .counted = answers},
  };
  return r;
}

}  // namespace onefold::ladder
