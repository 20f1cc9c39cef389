// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

#include <bit>

namespace onefold::ladder {
namespace {

bool when_blocks_outnumber_threads(const evidence& e) {
  return std::bit_floor(e.current.grid) > e.current.options.block;
}

}  // namespace

rung published_two_stage_threads_rung() {
  rung r;
  r.name = "published/two-stage-threads";
  r.title = "two-stage with a printed defect of its caller: blocks for threads";
  r.idea = "a kernel compiled for as many threads as there are blocks";
  r.previous = "reduce/two-stage";
  r.changes = {{"unsigned s = blockDim.x / 2;", "unsigned s = Threads / 2;"}};
  r.grid_stride = true;
  r.distance = shrinking_distance;
  r.verdict = "bounds, wrong value";
  r.shown_at.block = 64;
  r.claims = {
      {.says = "it reads every element",
       .true_here = false,
       .applies = when_blocks_outnumber_threads,
       .test = [](const evidence& e) { return e.current.reads.never == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} of {} never", e.current.reads.never, e.current.options.n);
           }},
      {.says = "the tree stays inside the shared array",
       .true_here = false,
       .applies = when_blocks_outnumber_threads,
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("a tree of {} items, the block has {}",
                                std::bit_floor(e.current.grid), e.current.options.block);
           }},
  };
  return r;
}

}  // namespace onefold::ladder
