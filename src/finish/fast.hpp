// SPDX-License-Identifier: Apache-2.0
// Fast sum to value: one conversion to the output type.
#pragma once

#include <cstdint>
#include <variant>

#include "onefold/dtype.hpp"
#include "onefold/status.hpp"
#include "state/fast_sum.hpp"

namespace onefold {

/// Fails: unsupported (an integer output of a floating sum). Integers wrap.
status
write_fast(const std::variant<fast_sum<float>, fast_sum<double>, fast_sum<std::uint64_t>>& sum,
           dtype input, void* output, dtype type);

}  // namespace onefold
