// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

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

int steps_of(const evidence& e) {
  return std::countr_zero(e.current.options.block);
}

/// Warps that store in a step of the tree, in all steps and blocks together.
std::uint64_t tree_stores(const evidence& e) {
  return e.counts().shared_store.requests - std::uint64_t{e.current.grid} * warps_of(e);
}

/// As many as would store if none idled, in one block.
unsigned warp_steps(const evidence& e) {
  return warps_of(e) * static_cast<unsigned>(steps_of(e));
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
  r.file = "ladder/reduce/sequential.cuh";
  r.changes = {{"for (unsigned s = 1; s < blockDim.x; s *= 2)",
                "for (unsigned s = blockDim.x / 2; s > 0; s /= 2)"},
               {"if (left < blockDim.x)", "if (tid < s)"}};
  r.printed = {{"korean-notes", "Step 3"}, {"unlp-slides", "Solución 3"}};
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
       .test =
           [](const evidence& e) {
             return e.counts().divergent_branches < e.before().divergent_branches;
           },
       .counted = divergent_a_block,
       .measured = divergent_measured},
      {.says = "a lane whose two words share a bank conflicts with itself",
       .true_here = false,
       .applies = when_tree_spans_two_rows,
       .test = [](const evidence& e) { return e.counts().shared_conflicts() > 0; },
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
             return e.counts().divergent_branches >=
                    e.current.grid * static_cast<unsigned>(steps_of(e));
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} steps, {}", steps_of(e), divergent_a_block(e));
           }},
      {.says = "at least half of the warps idle, over all steps",
       .true_here = true,
       .applies = when_steps_leave_warps_idle,
       .test =
           [](const evidence& e) { return 2 * tree_stores(e) <= e.current.grid * warp_steps(e); },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} of {} turns of warps store, in a block",
                                tree_stores(e) / e.current.grid, warp_steps(e));
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
      {.says = "it executes fewer instructions",
       .true_here = true,
       .applies = at_any_size,
       .test = instructions_fall,
       .counted = instructions,
       .judged_by = witness::gpu},
  };
  return r;
}

}  // namespace onefold::ladder
