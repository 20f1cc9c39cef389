// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung first_add_rung() {
  rung r;
  r.name = "reduce/first-add";
  r.title = "two elements a lane, folded while loading";
  r.idea = "half the blocks cover the same elements; the first step happens in registers";
  r.previous = "reduce/sequential";
  r.changes = {{"std::size_t{blockIdx.x} * blockDim.x + tid",
                "std::size_t{blockIdx.x} * (2 * blockDim.x) + tid"},
               {"items[tid] = value;",
                "if (at + blockDim.x < n) value = Operator::fold(value, in[at + blockDim.x]);"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "half as many blocks",
       .true_here = true,
       .applies = when_blocks_pair_up,
       .test = [](const evidence& e) { return 2 * e.current.grid == e.previous->grid; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} blocks, was {}", e.current.grid, e.previous->grid);
           }},
      {.says = "half the shared memory traffic",
       .true_here = true,
       .applies = when_blocks_pair_up,
       .test =
           [](const evidence& e) {
             return 2 * e.counts().shared_wavefronts() == e.before().shared_wavefronts();
           },
       .counted = wavefronts_and_before},
      {.says = "half the barriers",
       .true_here = true,
       .applies = when_blocks_pair_up,
       .test = [](const evidence& e) { return 2 * e.counts().barriers == e.before().barriers; },
       .counted = barriers_and_before},
      {.says = "less is read from global memory",
       .true_here = false,
       .applies = at_any_size,
       .test = sectors_fall,
       .counted = sectors_and_before},
      by_gpu("fewer lanes stand idle", true, more_lanes_work, working_lanes),
      by_gpu("half the blocks execute half the instructions", false, instructions_halve),
  };
  return r;
}

}  // namespace onefold::ladder
