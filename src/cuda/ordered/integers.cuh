// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products and sums of exponentials of whole arrays of integers, chunk by chunk, as the CPU's
// engine cuts them. Within a chunk all is integers, so that order does not matter.

#include "cuda/ordered/chunks.cuh"
#include "cuda/parts/exponential.cuh"
#include "cuda/parts/integer_product.cuh"

#include <utility>

namespace onefold::cuda {

inline constexpr unsigned chunk_warps = chunk_threads / warp_lanes;

/// Element i. Of bytes at most `most`: 1 of booleans, which any byte but 0 is.
template <class T>
ONEFOLD_DEVICE T element_of(const T* x, std::int64_t i, T most) {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return x[i] < most ? x[i] : most;
  else
    return x[i];
}

/// Shape:  x[n], n > 0, of integers of a width; sign: its bit, or 0; parts[chunks *
///         integer_product::words]; a block has chunk_threads threads; any grid.
/// Error:  none, modulo 2^64; `beyond` where the magnitude is 2^64 or more.
/// Order:  none.
template <class T>
__global__ void __launch_bounds__(chunk_threads)
    integer_product_chunks(const T* x, std::int64_t n, T most, T sign, std::int64_t* parts) {
  __shared__ std::uint64_t magnitudes[chunk_warps];
  __shared__ int notes[chunk_warps];
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  ONEFOLD_ROLLED
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const std::int64_t end = min(n, (c + 1) * tuning::chunk_items);
    integer_product mine;
    ONEFOLD_UNROLL_BY_4
    for (std::int64_t i = c * tuning::chunk_items + threadIdx.x; i < end; i += chunk_threads) {
      const T element = element_of(x, i, most);
      const bool below = (element & sign) != 0;
      mine.take(below ? T(T(0) - element) : element, below);
    }
    for (unsigned step = warp_lanes / 2; step > 0; step /= 2) {
      const std::uint64_t factor = __shfl_xor_sync(whole_warp, mine.magnitude, step);
      mine.multiply(factor, __shfl_xor_sync(whole_warp, mine.notes, step));
    }
    const unsigned warp = threadIdx.x / warp_lanes;
    if (lane_index() == 0) magnitudes[warp] = mine.magnitude, notes[warp] = mine.notes;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (unsigned w = 1; w < chunk_warps; ++w) mine.multiply(magnitudes[w], notes[w]);
      parts[2 * c] = std::int64_t(mine.magnitude), parts[2 * c + 1] = mine.notes;
    }
    __syncthreads();
  }
}

/// Elements with or without a sign as keys without one, in their order and as far apart.
template <class T>
struct integer_keys {
  static_assert(std::is_unsigned_v<T>);
  T most;  ///< as that of element_of
  T sign;  ///< its bit; 0: there is none

  ONEFOLD_DEVICE T at(const T* x, std::int64_t i) const { return T(element_of(x, i, most) ^ sign); }
  ONEFOLD_DEVICE double value(T key) const {
    if (sign == 0) return double(key);
    return double(std::int64_t(std::make_signed_t<T>(key ^ sign)));
  }
  /// How far the second one lies below the first, in steps of one; 255 is far enough. Between
  /// doubles where an integer may be none.
  ONEFOLD_DEVICE unsigned steps_below(T largest, T key) const {
    if constexpr (sizeof(T) == 8) {
      const double apart = value(largest) - value(key);
      return apart < 255 ? unsigned(apart) : 255u;
    } else {
      return min(std::uint32_t(largest) - std::uint32_t(key), 255u);
    }
  }
};

/// What a block shares.
struct integer_log_sum_memory {
  std::uint64_t table[exponential::fixed_count];
  std::uint64_t largest[chunk_warps];
  std::uint64_t high[chunk_warps], low[chunk_warps];
};

/// The largest key, in every thread. Every thread of the block calls it.
template <class T>
ONEFOLD_DEVICE T largest_of_chunk(const T* x, std::int64_t count, const integer_keys<T>& keys,
                                  integer_log_sum_memory& memory) {
  T largest = 0;
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t i = threadIdx.x; i < count; i += chunk_threads) {
    const T next = keys.at(x, i);
    largest = next > largest ? next : largest;
  }
  std::uint64_t wide = largest;
  for (unsigned step = warp_lanes / 2; step > 0; step /= 2) {
    const std::uint64_t other = __shfl_xor_sync(whole_warp, wide, step);
    wide = other > wide ? other : wide;
  }
  if (lane_index() == 0) memory.largest[threadIdx.x / warp_lanes] = wide;
  __syncthreads();
  for (const std::uint64_t other : memory.largest) wide = other > wide ? other : wide;
  return T(wide);
}

/// The sum of fixed-point numbers in halves, in thread 0. Every thread of the block calls it.
template <class T>
ONEFOLD_DEVICE double sum_of_fixed(const T* x, std::int64_t count, const integer_keys<T>& keys,
                                   T largest, integer_log_sum_memory& memory) {
  std::uint64_t high = 0, low = 0;
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t i = threadIdx.x; i < count; i += chunk_threads) {
    const unsigned steps = keys.steps_below(largest, keys.at(x, i));
    const std::uint64_t number = steps < exponential::fixed_count ? memory.table[steps] : 0;
    high += number >> 32, low += number & 0xFFFFFFFF;
  }
  for (unsigned step = warp_lanes / 2; step > 0; step /= 2) {
    high += __shfl_xor_sync(whole_warp, high, step);
    low += __shfl_xor_sync(whole_warp, low, step);
  }
  const unsigned warp = threadIdx.x / warp_lanes;
  if (lane_index() == 0) memory.high[warp] = high, memory.low[warp] = low;
  __syncthreads();
  high = low = 0;
  for (unsigned w = 0; w < chunk_warps; ++w) high += memory.high[w], low += memory.low[w];
  return double(high) * 0x1p-31 + double(low) * 0x1p-63;
}

/// Shape:  as log_sum_chunks, of integers of a width.
/// Error:  docs/numerics/logsumexp.md.
/// Order:  none within a chunk: the bits of the CPU's sums of chunks, in any grid.
template <class T>
__global__ void __launch_bounds__(chunk_threads)
    integer_log_sum_chunks(const T* x, std::int64_t n, integer_keys<T> keys, std::int64_t* parts) {
  __shared__ integer_log_sum_memory memory;
  write_fixed_exponentials(memory.table,
                           std::make_integer_sequence<int, exponential::fixed_count>());
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  ONEFOLD_ROLLED
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const T* const from = x + c * tuning::chunk_items;
    const std::int64_t count = min(n - c * tuning::chunk_items, tuning::chunk_items);
    const T largest = largest_of_chunk(from, count, keys, memory);
    const double sum = sum_of_fixed(from, count, keys, largest, memory);
    if (threadIdx.x == 0) {
      parts[4 * c] = word_of_number(keys.value(largest)), parts[4 * c + 1] = word_of_number(sum);
      parts[4 * c + 2] = parts[4 * c + 3] = 0;
    }
    __syncthreads();
  }
}

}  // namespace onefold::cuda
