// SPDX-License-Identifier: Apache-2.0
// Element types of two views of one product, made one: every conversion is exact.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/dtype.hpp"

namespace onefold::cpu {

/// Writes n elements of another type. Precondition: loop_type() chose `to_type` for `from_type`.
void convert(dtype from_type, const std::byte* from, std::int64_t n, dtype to_type, std::byte* to);

}  // namespace onefold::cpu
