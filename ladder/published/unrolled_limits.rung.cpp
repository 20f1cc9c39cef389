// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung published_unrolled_limits_rung() {
  rung r;
  r.name = "published/unrolled-limits";
  r.title = "unrolled as printed: for blocks of 64 to 512";
  r.idea = "no step above distance 256, and 32 lanes in the last warp whatever the block";
  r.previous = "reduce/unrolled";
  r.file = "ladder/published/unrolled_limits.cuh";
  r.changes = {{"if (Block >= 1024) block_step<Operator, 512>(items, tid, lanes);",
                "unsigned s = Block < 512 ? Block / 2 : 256;"}};
  r.printed = {{"korean-notes", "Step 5"},
               {"korean-notes", "Step 6"},
               {"korean-notes", "Step 7"},
               {"unlp-slides", "Solución 6, slide 23"},
               {"unlp-slides", "Solución 7, slide 28"},
               {"two-stage-notes", "listing 5: last warp"},
               {"two-stage-notes", "listing 7: template kernel"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.published = true;
  r.verdict = "bounds";
  r.shown_at.block = 16;
  r.claims = {
      {.says = "a small block stays inside its shared array",
       .true_here = false,
       .applies =
           [](const evidence& e) {
             return e.current.options.block > 1 && e.current.options.block <= 32;
           },
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("reads outside memory at {} lines",
                                e.current.places(simt::defect::bounds));
           }},
      {.says = "a block of 1024 sums its elements",
       .true_here = false,
       .applies =
           [](const evidence& e) {
             return e.current.options.op == operation::sum && e.current.options.block == 1024 &&
                    e.current.options.n > 512;
           },
       .test = answer_is_right,
       .counted = answers},
  };
  return r;
}

}  // namespace onefold::ladder
