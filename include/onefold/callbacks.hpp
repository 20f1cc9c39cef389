// SPDX-License-Identifier: Apache-2.0
// Functions of the caller that the loops call on contiguous pieces.
#pragma once

#include <cstdint>
#include <functional>

namespace onefold {

/// Makes n elements of the mapped type out of n elements of the view, contiguous both, at any
/// addresses. Called from several threads at a time.
using element_map = std::function<void(const void* from, std::int64_t n, void* to)>;

/// Takes the elements of a view in pieces: piece `part` of answer `output`, n contiguous elements
/// at any address. Called from several threads at a time, for each pair once.
using piece_taker = std::function<void(std::int64_t output, std::int64_t part, const void* x,
                                       std::int64_t n, std::int64_t first_index)>;

}  // namespace onefold
