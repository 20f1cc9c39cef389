// SPDX-License-Identifier: Apache-2.0
// Products and sums of exponentials of pieces: states that are appended in order.
#pragma once

#include <memory>

#include "cpu/tasks/task.hpp"
#include "onefold/accuracy.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cpu {

/// For prod; every piece gives a detail::product. Floats: within the bound of detail::product,
/// whatever `how`. Integers: exact while 64 bits hold the magnitude, or modulo 2^64 where fast.
std::unique_ptr<ordered_task> make_product_task(dtype input, accuracy how);

/// For logsumexp; every piece gives a detail::log_sum. Integers go through f64.
std::unique_ptr<ordered_task> make_log_sum_task(dtype input);

}  // namespace onefold::cpu
