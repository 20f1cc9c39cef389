// SPDX-License-Identifier: Apache-2.0
// One pass of all accumulators over a range of contiguous elements in device memory.
#pragma once

#include <cstdint>
#include <span>

#include "cuda/plan/states.hpp"
#include "cuda/runtime/slot.hpp"

namespace onefold::cuda {

/// Contiguous elements in device memory.
struct device_range {
  const void* x = nullptr;
  const void* y = nullptr;
  std::int64_t n = 0;
  std::int64_t first_index = 0;  ///< logical index of the first of them
};

/// Allocates all memory that launch_all over up to n elements needs. Precondition: no work uses the
/// slot. Fails: throws onefold::error.
void reserve_all(slot& at, std::int64_t n, dtype input, std::span<const target> into);

/// Enqueues the launches of every accumulator, one after another; their serialized states are in
/// the slot when the stream has completed them. Precondition: every accumulator has a kernel; the
/// slot's device is current. Fails: throws onefold::error.
void launch_all(slot& at, const device_range& range, dtype input, std::span<const target> into,
                cudaStream_t stream);

/// Merges the serialized states in the slot into the states. Precondition: the stream has completed
/// the launches.
void merge_all(const slot& from, const device_range& range, dtype input,
               std::span<const target> into);

/// Merges a serialized state, whose positions count from `first_index`, into a state of the same
/// accumulator.
void merge_words(any_state& into, const std::int64_t* words, std::int64_t first_index);

}  // namespace onefold::cuda
