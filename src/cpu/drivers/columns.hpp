// SPDX-License-Identifier: Apache-2.0
// Columns for requests that the batched kernels do not support: transposes block by block, so that
// each line of memory is read once, and feeds the tasks.
#pragma once

#include <optional>

#include "cpu/drivers/answers.hpp"

namespace onefold::cpu {

/// Computes every answer of such a plan. Nothing for other plans.
std::optional<status> reduce_columns(const reduction& reduction, const answers& answers);

}  // namespace onefold::cpu
