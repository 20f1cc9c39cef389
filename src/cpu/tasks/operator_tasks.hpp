// SPDX-License-Identifier: Apache-2.0
// What one thread knows of extrema, counts and bitwise folds. All of these states commute.
#pragma once

#include <memory>

#include "cpu/tasks/task.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cpu {

/// For min, max, argmin, argmax, minmax, norminf; drains into detail::extrema.
std::unique_ptr<task> make_extrema_task(dtype input);

/// For any, all, count, count_nonzero; drains into detail::tally.
std::unique_ptr<task> make_tally_task(dtype input);

/// For bit_and, bit_or, bit_xor; drains into detail::bit_fold.
/// Precondition: integers or bool; null for floats.
std::unique_ptr<task> make_bits_task(dtype input);

}  // namespace onefold::cpu
