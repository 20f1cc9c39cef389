// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

#include <bit>

namespace onefold::ladder {
namespace {

bool when_the_tree_halves_an_odd_number(const evidence& e) {
  const auto& options = e.current.options;
  return options.op == operation::sum && options.block % 32 == 0 &&
         !std::has_single_bit(options.block) && options.n >= options.block;
}

}  // namespace

rung published_block_96_rung() {
  rung r;
  r.name = "published/block-96";
  r.title = "two-stage with a block that its text allows";
  r.idea = "a multiple of 32 is not enough: half of an odd number leaves one over";
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.any_block = true;
  r.distance = shrinking_distance;
  r.verdict = "wrong value";
  r.shown_at.block = 96;
  r.claims = {
      {.says = "a multiple of 32 will do for a block",
       .true_here = false,
       .applies = when_the_tree_halves_an_odd_number,
       .test = answer_is_right,
       .counted = answers},
      {.says = "every element is read once",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.current.reads.once == e.current.options.n; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} of {} elements", e.current.reads.once, e.current.options.n);
           }},
  };
  return r;
}

}  // namespace onefold::ladder
