// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

std::string warp_operations(const evidence& e) {
  return fmt::format("{} shuffles, were {}; {} REDUX", e.counts().shuffles, e.before().shuffles,
                     e.counts().reductions);
}

/// A warp folds its lanes, and the first one the warps.
bool one_instruction_a_warp(const evidence& e) {
  return e.counts().shuffles == 0 &&
         e.counts().reductions == e.current.grid * (warps_of(e) + std::uint64_t{1});
}

}  // namespace

rung redux_rung() {
  rung r;
  r.name = "reduce/redux";
  r.title = "one instruction folds a warp";
  r.idea = "REDUX takes the place of five shuffles, where order cannot matter";
  r.previous = "reduce/shuffle";
  r.changes = {{"value = fold_block<Operator>(value, warps);",
                "value = fold_warp_at_once<Operator>(value, lanes);"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.claims = {
      {.says = "one instruction a warp takes the place of all its shuffles",
       .true_here = true,
       .applies =
           [](const evidence& e) {
             return e.current.options.type == element::int32 &&
                    e.current.options.op != operation::product;
           },
       .test = one_instruction_a_warp,
       .counted = warp_operations},
      {.says = "floats have such an instruction too",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.type != element::int32; },
       .test = one_instruction_a_warp,
       .counted = warp_operations},
      {.says = "shared memory gets faster",
       .true_here = false,
       .applies = at_any_size,
       .test = wavefronts_fall,
       .counted = wavefronts_a_block},
  };
  return r;
}

}  // namespace onefold::ladder
