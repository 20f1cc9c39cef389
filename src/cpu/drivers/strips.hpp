// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of columns and of short rows: a strip of neighbouring answers at a time.
#pragma once

#include <optional>

#include "cpu/drivers/answers.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Computes every answer of the plan. Nothing where the kernels do not support the request.
std::optional<status> reduce_strips(const reduction& reduction, const answers& answers);

}  // namespace onefold::cpu
