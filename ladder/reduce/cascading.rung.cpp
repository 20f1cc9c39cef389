// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

#include <cmath>

namespace onefold::ladder {
namespace {

/// What every lane folds on its own, then the levels of the tree over all lanes.
double lane_steps(const evidence& e) {
  const double lanes = double(e.current.grid) * e.current.options.block;
  return lanes * (std::ceil(double(e.current.options.n) / lanes) + std::log2(lanes));
}

double n_log_n(const evidence& e) {
  const double n = double(e.current.options.n);
  return n * std::log2(n);
}

}  // namespace

rung cascading_rung() {
  rung r;
  r.name = "reduce/cascading";
  r.title = "many elements a lane before the tree";
  r.idea = "N / log N lanes fold log N elements each: lanes times steps is N, not N log N";
  r.previous = "reduce/unrolled";
  r.changes = {{"if (at < n) value = in[at];", "value = Operator::fold(value, in[at]);"},
               {"const std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + tid;",
                "const std::size_t round = std::size_t{gridDim.x} * (2 * Block);"}};
  r.items_per_lane = 16;  // log2 of 65536, the usual n
  r.grid_stride = true;
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "the grid's stride keeps the loads coalesced",
       .true_here = true,
       .applies = for_whole_warps,
       .test = loads_ideal_sectors,
       .counted = sectors_a_request,
       .measured = sectors_measured},
      {.says = "a lane adds up in shared memory: every round stores there",
       .true_here = false,
       .applies = when_blocks_get_fewer,
       .test =
           [](const evidence& e) {
             return e.counts().shared_store.requests * e.previous->grid >
                    e.before().shared_store.requests * e.current.grid;
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} stores in {} blocks, was {} in {}",
                                e.counts().shared_store.requests, e.current.grid,
                                e.before().shared_store.requests, e.previous->grid);
           }},
      {.says = "shared memory traffic falls with the number of blocks",
       .true_here = true,
       .applies = when_blocks_get_fewer,
       .test =
           [](const evidence& e) {
             return e.counts().shared_wavefronts() * e.previous->grid ==
                    e.before().shared_wavefronts() * e.current.grid;
           },
       .counted = wavefronts_and_before},
      {.says = "fewer barriers",
       .true_here = true,
       .applies = when_blocks_get_fewer,
       .test = barriers_fall,
       .counted = barriers_and_before},
      {.says = "lanes times steps falls below n log n",
       .true_here = true,
       .applies = when_blocks_get_fewer,
       .test = [](const evidence& e) { return lane_steps(e) < n_log_n(e); },
       .counted =
           [](const evidence& e) {
             return fmt::format("{:.0f}, n log n is {:.0f}", lane_steps(e), n_log_n(e));
           }},
      {.says = "less is read from global memory",
       .true_here = false,
       .applies = at_any_size,
       .test = sectors_fall,
       .counted = sectors_loaded},
      by_gpu("it halves the instructions", true, instructions_halve),
      by_gpu("fewer lanes stand idle", true, more_lanes_work, working_lanes),
  };
  return r;
}

}  // namespace onefold::ladder
