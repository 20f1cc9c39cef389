// SPDX-License-Identifier: Apache-2.0
// From a family to the task that fills its state.
#pragma once

#include <memory>

#include "cpu/task.hpp"
#include "onefold/accuracy.hpp"
#include "state/family.hpp"

namespace onefold::cpu {

/// Precondition: the family commutes.
std::unique_ptr<task> make_task(family what, dtype input);

/// Precondition: the family is ordered under this accuracy.
std::unique_ptr<ordered_task> make_ordered_task(family what, dtype input, accuracy how);

/// The state of no elements of such a task.
ordered_state empty_ordered_state(family what, dtype input);

}  // namespace onefold::cpu
