// SPDX-License-Identifier: Apache-2.0
// From a family to the task that fills its state.
#pragma once

#include <memory>

#include "cpu/tasks/task.hpp"
#include "onefold/accuracy.hpp"
#include "state/family.hpp"

namespace onefold::cpu {

/// Precondition: the family commutes.
std::unique_ptr<task> make_task(family what, dtype input);

/// Precondition: the family is ordered under this accuracy.
std::unique_ptr<ordered_task> make_ordered_task(family what, dtype input, accuracy how);

}  // namespace onefold::cpu
