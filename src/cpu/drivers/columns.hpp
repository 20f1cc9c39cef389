// SPDX-License-Identifier: Apache-2.0
// Answers whose elements step over memory while neighbouring answers lie side by side, for whatever
// the kernels of many answers do not know: turned round block by block, so that each line of memory
// is read once.
#pragma once

#include <optional>

#include "cpu/drivers/answers.hpp"

namespace onefold::cpu {

/// Every answer of such a plan. Nothing: this plan is not of that kind.
std::optional<status> reduce_columns(const reduction& of, const answers& to);

}  // namespace onefold::cpu
