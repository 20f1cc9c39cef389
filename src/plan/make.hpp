// SPDX-License-Identifier: Apache-2.0
// The planner as a pure function: the machine is an argument, so golden tests need none.
#pragma once

#include <string_view>

#include "onefold/plan.hpp"

namespace onefold {

/// What a plan needs to know of where it will run.
struct machine {
  int threads = 1;          ///< that this process may use
  std::string_view target;  ///< the SIMD target of the loops
};

result<plan> make_plan(const machine& on, op what, const array_view& x, const options& how);

}  // namespace onefold
