// SPDX-License-Identifier: Apache-2.0
// Exact conversion of the elements of two views to one type, for products.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/dtype.hpp"

namespace onefold::cpu {

/// Writes n elements in another type. Precondition: loop_type() chose `to_type` for `from_type`.
void convert(dtype from_type, const std::byte* from, std::int64_t n, dtype to_type, std::byte* to);

}  // namespace onefold::cpu
