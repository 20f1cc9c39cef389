// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

/// Of the tree, if every step from half the block down to 1 is made, by its first lanes.
std::uint64_t stores_of_all_steps(const evidence& e) {
  std::uint64_t warps = 0;
  for (unsigned s = e.current.options.block / 2; s > 0; s /= 2) {
    warps += (s + e.current.options.warp - 1) / e.current.options.warp;
  }
  return warps * e.current.grid;
}

std::string stores_in_the_tree(const evidence& e) {
  return fmt::format("{} stores of warps in {} steps, in a block", tree_stores(e) / e.current.grid,
                     tree_steps(e));
}

}  // namespace

rung unrolled_rung() {
  rung r;
  r.name = "reduce/unrolled";
  r.title = "a block size that the compiler knows";
  r.idea = "distances are constants, so the steps are written out and the loop is gone";
  r.previous = "reduce/last-warp";
  r.changes = {
      {"for (; s > lanes; s /= 2) {",
       "if (Block >= 256) block_step<Operator, 128>(items, tid, lanes);"},
      {"for (; s > 0; s /= 2) {", "if (Block >= 32) warp_step<Operator, 16>(items, tid, lanes);"},
      {"template <class T, class Operator>", "template <class T, class Operator, unsigned Block>"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "where one test of the block's size holds, all after it hold",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return tree_stores(e) == stores_of_all_steps(e); },
       .counted = stores_in_the_tree},
      {.says = "where one test of the lane's number holds, all after it hold",
       .true_here = false,
       .applies = [](const evidence& e) { return warps_of(e) >= 4; },
       .test =
           [](const evidence& e) {
             return tree_stores(e) ==
                    std::uint64_t{e.current.grid} * warps_of(e) / 2 * tree_steps(e);
           },
       .counted = stores_in_the_tree},
      {.says = "only the instructions of the loop go: every count stays",
       .true_here = true,
       .applies = at_any_size,
       .test = counts_stay,
       .counted = wavefronts_a_block},
      {.says = "a known size needs fewer barriers",
       .true_here = false,
       .applies = at_any_size,
       .test = barriers_fall,
       .counted = barriers_a_block},
      by_gpu("addresses and the loop are an overhead of instructions", true, instructions_fall),
  };
  return r;
}

}  // namespace onefold::ladder
