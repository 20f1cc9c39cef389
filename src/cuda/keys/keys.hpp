// SPDX-License-Identifier: Apache-2.0
// The door to the kernels of ascending keys: where their runs begin. Plain words, no CUDA's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/element_kind.hpp"

namespace onefold::cuda {

/// Contiguous keys in device memory, aligned to their size; integers or booleans.
struct key_list {
  const void* keys = nullptr;
  std::int64_t n = 0;  ///< at least 1
  element_kind kind;
};

/// Keys of a block.
inline constexpr std::int64_t block_keys = 2048;

constexpr std::int64_t key_blocks(std::int64_t n) {
  return (n + block_keys - 1) / block_keys;
}

/// Words of 64 bits that the two launches share: a count a block, behind them the number of runs,
/// and a word that is not 0 where keys fall. The last one is zero before.
constexpr std::size_t key_words(std::int64_t n) {
  return std::size_t(key_blocks(n)) + 2;
}

/// Enqueues two kernels that count the runs of equal neighbours. Returns a cudaError_t as int.
int launch_key_counts(const key_list& of, std::int64_t* words, void* stream);

/// Enqueues a kernel that writes where runs begin, behind the last one n, and the key of each.
/// Precondition: the words are those of launch_key_counts; offsets have room for one more than
/// there are runs. Returns a cudaError_t as int.
int launch_key_runs(const key_list& of, const std::int64_t* words, std::int64_t* offsets,
                    void* keys, void* stream);

}  // namespace onefold::cuda
