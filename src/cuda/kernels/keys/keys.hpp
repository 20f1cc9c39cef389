// SPDX-License-Identifier: Apache-2.0
// Entry points of the kernels of ascending keys: where their runs begin. Without CUDA types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/primitives/element_kind.hpp"

namespace onefold::cuda {

/// Contiguous keys in device memory, aligned to their size; integers or booleans.
struct key_list {
  const void* keys = nullptr;
  std::int64_t n = 0;  ///< at least 1
  element_kind kind;
};

/// Places of a block, counted from the 16 bytes in which the keys begin; blocks whose counts are
/// summed up together; runs of a block whose keys are kept when they are counted.
inline constexpr std::int64_t block_keys = 8192, group_blocks = 256, kept_keys = block_keys / 8;

constexpr std::int64_t key_blocks(std::int64_t n) {
  return (n + 15 + block_keys - 1) / block_keys;
}

/// Words of 64 bits that the two launches share: a count a block, a count a group of blocks, the
/// number of runs, and a word that is not 0 where keys fall. All are zero before.
constexpr std::size_t key_words(std::int64_t n) {
  const std::int64_t blocks = key_blocks(n);
  return std::size_t(blocks + (blocks + group_blocks - 1) / group_blocks) + 2;
}

/// Bytes that the two launches share, not cleared: a bit a place, which is set where a run
/// begins, and the keys of runs.
constexpr std::size_t key_bytes(const key_list& keys) {
  return std::size_t(key_blocks(keys.n)) *
         std::size_t(block_keys / 8 + kept_keys * keys.kind.bytes);
}

/// Enqueues a kernel that counts the runs of equal neighbours; the bytes are aligned to 16.
/// Returns a cudaError_t as int.
int launch_key_counts(const key_list& keys, std::int64_t* words, void* bytes, void* stream);

/// Enqueues a kernel that writes where runs begin, after the last one n, and the key of each.
/// Precondition: words and bytes are those of launch_key_counts; offsets have room for one more
/// than there are runs. Returns a cudaError_t as int.
int launch_key_runs(const key_list& list, const std::int64_t* words, const void* bytes,
                    std::int64_t* offsets, void* keys, void* stream);

}  // namespace onefold::cuda
