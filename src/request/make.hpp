// SPDX-License-Identifier: Apache-2.0
// The planner as a pure function: the machine is an argument, so golden tests need none.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "onefold/plan.hpp"

namespace onefold {

/// What a plan needs to know of where it will run.
struct machine {
  int threads = 1;          ///< that this process may use
  std::string_view target;  ///< the SIMD target of the loops
};

/// Fills in a new plan where the caller has it: copies of a plan cost as much as its making.
/// `mapped`: the type of what a caller's map makes of the elements, if there is one.
status decide_plan(const machine& on, const op_list& what, std::span<const array_view> views,
                   const options& how, std::optional<dtype> mapped, plan& into);

/// The same as a value.
result<plan> make_plan(const machine& on, const op_list& what, std::span<const array_view> views,
                       const options& how);

/// The plan of one axis in logical order, of which stretches are reduced.
result<plan> make_segments_plan(const machine& on, op what, const array_view& x,
                                const options& how);

/// The plan of a walk in logical order, for an operator that is not one of ours.
result<plan> make_walk_plan(const machine& on, const array_view& x, const options& how);

}  // namespace onefold
