// SPDX-License-Identifier: Apache-2.0
#pragma once
// The CPU's answers of segments: in a unit of their own, because the words of kernels and the
// library's functions have names in common.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/kernels/segments/segments.hpp"

namespace onefold::test {

using offset_list = std::vector<std::int64_t>;

/// x: the bytes of the elements. A failure is one of the test.
std::vector<std::byte> cpu_answers(const cuda::segments_request& request,
                                   const offset_list& offsets, const std::vector<std::byte>& x,
                                   std::int64_t first_index);

}  // namespace onefold::test
