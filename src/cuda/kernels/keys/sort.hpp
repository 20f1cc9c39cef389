// SPDX-License-Identifier: Apache-2.0
// Entry points of the sort of keys that do not ascend. Without CUDA types.
#pragma once

#include "cuda/kernels/keys/keys.hpp"

namespace onefold::cuda {

/// Places are of 32 bits: more keys are not sorted.
inline constexpr std::int64_t most_sorted_keys = std::int64_t(1) << 32;

/// `bytes` becomes what a sort needs of device memory besides its keys, some 24 a key. Returns a
/// cudaError_t as int.
int ask_key_sort(const key_list& keys, std::size_t& bytes);

/// Enqueues a stable sort: places[i] becomes the place of the key that is the i-th of all. They lie
/// in `workspace`, which has so many bytes, aligned to 256. Precondition: keys.n <=
/// most_sorted_keys. Returns a cudaError_t as int.
int launch_key_sort(const key_list& keys, void* workspace, std::size_t bytes,
                    const std::uint32_t*& places, void* stream);

/// Enqueues offsets[i] = the sum of the counts before i, of n. Returns a cudaError_t as int.
int launch_offsets(const std::uint32_t* counts, std::int64_t* offsets, std::int64_t n,
                   void* scratch, std::size_t& scratch_bytes, void* stream);
/// The scratch bytes of that. Returns a cudaError_t as int.
int ask_offsets(std::int64_t n, std::size_t& scratch_bytes);

/// Enqueues to[i] = from[places[i]], of n elements of 1, 2, 4 or 8 bytes, aligned to them.
int launch_gather(const void* from, std::size_t item_bytes, const std::uint32_t* places,
                  std::int64_t n, void* to, void* stream);

/// Enqueues at[k] = first_index + places[at[k]], of n positions among sorted elements.
int launch_own_places(std::int64_t* at, std::int64_t n, const std::uint32_t* places,
                      std::int64_t first_index, void* stream);

}  // namespace onefold::cuda
