// SPDX-License-Identifier: Apache-2.0
// The planner, a pure function: the machine is an argument, so golden tests need no particular
// machine.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "onefold/plan.hpp"

namespace onefold {

/// What a plan depends on of the machine that runs it.
struct machine {
  int threads = 1;          ///< available to this process
  std::string_view target;  ///< the SIMD target of the loops
};

/// Fills in the caller's new plan: copying a plan costs as much as making one. `mapped`: the type
/// that the caller's map returns, if there is a map.
status decide_plan(const machine& machine, const op_list& ops, std::span<const array_view> views,
                   const options& options, std::optional<dtype> mapped, plan& into);

/// The same, returned as a value.
result<plan> make_plan(const machine& machine, const op_list& ops,
                       std::span<const array_view> views, const options& options);

/// The same plan for a GPU, whose fast answers are exact ones. Sums and products of integers wrap
/// as they do on a CPU, unless var or std is asked for with them.
plan plan_on_device(const plan& from, std::span<const array_view> views);

/// The plan over one axis in logical order, whose segments are reduced.
result<plan> make_segments_plan(const machine& machine, op op, const array_view& x,
                                const options& options);

/// The plan of a walk in logical order, for a user's own reduction.
result<plan> make_walk_plan(const machine& machine, const array_view& x, const options& options);

}  // namespace onefold
