// SPDX-License-Identifier: Apache-2.0
// One pass of all families over a stretch of elements in device memory, and its way into states.
#pragma once

#include <cstdint>
#include <span>

#include "cuda/engine.hpp"
#include "cuda/slot.hpp"

namespace onefold::cuda {

/// Contiguous elements in device memory.
struct stretch {
  const void* x = nullptr;
  const void* y = nullptr;
  std::int64_t n = 0;
  std::int64_t first_index = 0;  ///< the logical index of the first of them
};

/// Gets all memory that launch_all of up to n elements needs. Precondition: no work uses the slot.
/// Fails: throws onefold::error.
void reserve_all(slot& at, std::int64_t n, dtype input, std::span<const target> into);

/// Enqueues the launches of every family, one after the other; their words are in the slot when the
/// stream has come there. Precondition: there are kernels for all of them; the slot's device is the
/// thread's. Fails: throws onefold::error.
void launch_all(slot& at, const stretch& of, dtype input, std::span<const target> into,
                cudaStream_t stream);

/// Adds the words in the slot to the states. Precondition: the stream has come there.
void merge_all(const slot& from, const stretch& of, dtype input, std::span<const target> into);

/// Adds the words of a state, whose positions are counted from `first_index`, to one of its family.
void merge_words(any_state& into, const std::int64_t* words, std::int64_t first_index);

}  // namespace onefold::cuda
