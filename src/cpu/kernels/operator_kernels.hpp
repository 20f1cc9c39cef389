// SPDX-License-Identifier: Apache-2.0
// The table of one SIMD target's loops of extrema, counts and bitwise operators.
//
// A block is the unit of a loop: it fits in the first-level cache, so that reading it a second time
// is cheap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/dtype.hpp"

namespace onefold::cpu {

inline constexpr std::size_t dtype_count = 13;
inline constexpr std::int64_t block_bytes = 16384;

/// Elements of one block.
constexpr std::int64_t block_items(dtype type) {
  return block_bytes / std::int64_t(size_bytes(type));
}

/// The least and the largest element of a block, as integers of the same order. Floats: bits b >= 0
/// as b, others as ~magnitude, so that -0 < +0 are -1 and 0, and NaNs are beyond the infinities.
/// u64: top bit flipped. bool: any nonzero byte is 1.
struct order_range {
  std::int64_t least = 0;
  std::int64_t largest = 0;
  std::int64_t nans = 0;
};

/// Precondition: n > 0. `plain` treats NaNs as values beyond the infinities and counts none;
/// `sifted` excludes them, and returns least > largest where no element is left.
struct extrema_kernels {
  using range = order_range (*)(const void* x, std::int64_t n);
  range plain[dtype_count];
  range sifted[4];  ///< f16, bf16, f32, f64

  /// The first index of an element whose bits are a or b; n where there is none.
  using find = std::int64_t (*)(const void* x, std::int64_t n, std::uint64_t a, std::uint64_t b);
  find find_either[4];  ///< elements of 1, 2, 4, 8 bytes
  /// The first index of a nonzero byte; n where there is none.
  std::int64_t (*find_nonzero)(const void* x, std::int64_t n);
};

struct chunk_counts {
  std::int64_t zeros = 0;
  std::int64_t nans = 0;
};
using counts_kernel = chunk_counts (*)(const void* x, std::int64_t n);

/// The and, or and xor of `bytes` bytes as 64-bit words; the last word is padded with the neutral
/// elements. Elements of w bytes are at the multiples of w in a word.
struct folded_words {
  std::uint64_t all = ~std::uint64_t(0);
  std::uint64_t any = 0;
  std::uint64_t odd = 0;
};
using bits_kernel = folded_words (*)(const void* x, std::int64_t bytes);

struct operator_kernels {
  extrema_kernels extrema;
  counts_kernel counts[dtype_count];
  bits_kernel bits;
};

}  // namespace onefold::cpu
