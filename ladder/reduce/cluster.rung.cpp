// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

/// Clusters of eight blocks, whose warps are whole.
bool when_eights_fill_the_grid(const evidence& e) {
  return e.current.grid % 8 == 0 && e.current.options.block >= 32;
}

}  // namespace

rung cluster_rung() {
  rung r;
  r.name = "reduce/cluster";
  r.title = "blocks read each other's shared memory";
  r.idea = "eight blocks fold their values before one of them draws a ticket";
  r.previous = "reduce/one-launch";
  r.changes = {{"for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {",
                "for (unsigned c = threadIdx.x; c < clusters; c += blockDim.x) {"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.one_value = true;
  r.claims = {
      {.says = "an eighth of the tickets is drawn",
       .true_here = true,
       .applies = when_eights_fill_the_grid,
       .test =
           [](const evidence& e) {
             return 8 * e.counts().global_atomic.requests == e.before().global_atomic.requests;
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} tickets, were {}", e.counts().global_atomic.requests,
                                e.before().global_atomic.requests);
           }},
      {.says = "an eighth of the partials goes through global memory",
       .true_here = true,
       .applies = when_eights_fill_the_grid,
       .test =
           [](const evidence& e) {
             const std::uint64_t answer = 1;
             return 8 * (e.counts().global_store.requests - answer) ==
                    e.before().global_store.requests - answer;
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} stores, were {}", e.counts().global_store.requests,
                                e.before().global_store.requests);
           }},
      {.says = "one launch gives the answer",
       .true_here = true,
       .applies = at_any_size,
       .test = one_launch_answers,
       .counted = launches},
  };
  return r;
}

}  // namespace onefold::ladder
