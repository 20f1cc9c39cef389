// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

/// What the rung makes of abcdefgh under the associative operator that writes words side by side.
std::string folded_letters() {
  std::vector<std::string> items = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (std::size_t s = items.size() / 2; s > 0; s /= 2) {
    for (std::size_t i = 0; i < s; ++i) items[i] += items[i + s];
  }
  return items[0];
}

bool when_steps_leave_warps_idle(const evidence& e) {
  return for_whole_warps(e) && warps_of(e) >= 4;
}

}  // namespace

rung sequential_rung() {
  rung r;
  r.name = "reduce/sequential";
  r.title = "the halves of the block folded onto each other";
  r.idea = "neighbouring lanes touch neighbouring words; the operator must commute";
  r.previous = "reduce/strided";
  r.changes = {{"for (unsigned s = 1; s < blockDim.x; s *= 2)",
                "for (unsigned s = blockDim.x / 2; s > 0; s /= 2)"},
               {"if (left < blockDim.x)", "if (tid < s)"}};
  r.distance = shrinking_distance;
  r.claims = {
      {.says = "no bank conflict is left",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.counts().shared_conflicts() == 0; },
       .counted = conflicts_a_block,
       .measured = conflicts_measured},
      {.says = "shared memory gets faster",
       .true_here = true,
       .applies = when_tree_spans_two_rows,
       .test = wavefronts_fall,
       .counted = wavefronts_a_block,
       .measured = wavefronts_measured},
      {.says = "it diverges less than the strided tree",
       .true_here = false,
       .applies = at_any_size,
       .test = divergence_falls,
       .counted = divergent_a_block,
       .measured = divergent_measured},
      {.says = "a lane whose two words share a bank conflicts with itself",
       .true_here = false,
       .applies = when_tree_spans_two_rows,
       .test = conflicts,
       .counted =
           [](const evidence& e) {
             return fmt::format("words {} apart, {}", e.current.options.block / 2,
                                conflicts_a_block(e));
           }},
      {.says = "lanes are idle in every step, so every step diverges",
       .true_here = false,
       .applies = when_steps_leave_warps_idle,
       .test =
           [](const evidence& e) {
             return e.counts().divergent_branches >= e.current.grid * tree_steps(e);
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} steps, {}", tree_steps(e), divergent_a_block(e));
           }},
      {.says = "half of the lanes are idle in the first step",
       .true_here = true,
       .applies = when_lanes_pair_up,
       .test = [](const evidence& e) { return 2 * lanes_working(e, 1) == e.current.options.block; },
       .counted = lanes_by_step},
      {.says = "fewer and fewer lanes work",
       .true_here = true,
       .applies = when_lanes_pair_up,
       .test =
           [](const evidence& e) {
             unsigned step = tree_steps(e);
             while (step > 1 && lanes_working(e, step) < lanes_working(e, step - 1)) --step;
             return step == 1 && lanes_working(e, tree_steps(e)) == 1;
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} in the last of {} steps", lanes_working(e, tree_steps(e)),
                                tree_steps(e));
           }},
      {.says = "an associative operator is enough",
       .true_here = false,
       .applies = at_any_size,
       .test =
           [](const evidence&) {
             const std::string folded = folded_letters();
             return std::is_sorted(folded.begin(), folded.end());
           },
       .counted =
           [](const evidence&) { return fmt::format("abcdefgh folds to {}", folded_letters()); }},
      by_gpu("it executes fewer instructions", true, instructions_fall),
  };
  return r;
}

}  // namespace onefold::ladder
