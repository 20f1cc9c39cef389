// SPDX-License-Identifier: Apache-2.0
// The tasks of the exact families.
#pragma once

#include <memory>

#include "cpu/tasks/task.hpp"
#include "onefold/dtype.hpp"
#include "state/family.hpp"

namespace onefold::cpu {

/// A task of an exact family: total, magnitudes, squares, products, moments. It drains to
/// exact_sum<T> (total, magnitudes), exact_dot<T> (squares, products) or exact_moments<T>, where T
/// is the input type, std::int64_t for integers and booleans. Products: both views are of the input
/// type. The loops are those of the SIMD target that is active now.
std::unique_ptr<task> make_exact_task(family of, dtype input);

}  // namespace onefold::cpu
