// SPDX-License-Identifier: Apache-2.0
// The types of the caller's functions that the loops call on contiguous pieces and on states.
#pragma once

#include <cstdint>
#include <functional>

namespace onefold {

class state;

/// Writes n elements of the mapped type, computed from n elements of the view. Both are contiguous,
/// at any address. Called from several threads at a time.
using element_map = std::function<void(const void* input, std::int64_t n, void* output)>;

/// Receives the elements of a view in pieces: piece `part` of answer `output`, n contiguous
/// elements at any address. Called from several threads, once for each pair (output, part).
using piece_taker = std::function<void(std::int64_t output, std::int64_t part, const void* x,
                                       std::int64_t n, std::int64_t first_index)>;

/// Receives the state of answer `index`. Called from several threads, once for each answer.
using state_taker = std::function<void(std::int64_t index, const state& part)>;

}  // namespace onefold
