// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words of a whole warp. Every lane calls them together.

#include "cuda/primitives/words.cuh"

#include <type_traits>

namespace onefold::cuda {

ONEFOLD_DEVICE unsigned lane_index() {
  return threadIdx.x % warp_lanes;
}

ONEFOLD_DEVICE bool any_lane(bool predicate) {
  return __any_sync(whole_warp, predicate) != 0;
}

/// The word, of 32 or 64 bits, that another lane has.
template <class Word>
ONEFOLD_DEVICE Word of_lane(Word word, int lane) {
  if constexpr (sizeof(Word) == 8 && std::is_integral_v<Word>)
    return Word(__shfl_sync(whole_warp, static_cast<long long>(word), lane));
  else
    return __shfl_sync(whole_warp, word, lane);
}

/// The largest value of a warp, in every lane.
ONEFOLD_DEVICE std::uint32_t warp_max(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  ONEFOLD_UNROLL
  for (int step = 16; step > 0; step /= 2)
    value = max(value, __shfl_xor_sync(whole_warp, value, step));
  return value;
#else
  return __reduce_max_sync(whole_warp, value);
#endif
}

/// The least value of a warp, in every lane.
ONEFOLD_DEVICE std::uint64_t warp_min(std::uint64_t value) {
  const auto high = std::uint32_t(value >> 32);
  const std::uint32_t least = ~warp_max(~high);
  const std::uint32_t low = ~warp_max(high == least ? ~std::uint32_t(value) : 0);
  return std::uint64_t(least) << 32 | low;
}

/// The bits of all lanes, in every lane.
ONEFOLD_DEVICE unsigned warp_or(unsigned bits) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  ONEFOLD_UNROLL
  for (int step = 16; step > 0; step /= 2) bits |= __shfl_xor_sync(whole_warp, bits, step);
  return bits;
#else
  return __reduce_or_sync(whole_warp, bits);
#endif
}

/// The sum of a warp modulo 2^32, in every lane.
ONEFOLD_DEVICE std::uint32_t warp_add(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  ONEFOLD_UNROLL
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(whole_warp, value, step);
  return value;
#else
  return __reduce_add_sync(whole_warp, value);
#endif
}

/// The sum of a warp, in every lane. Precondition: |value| < 2^52.
ONEFOLD_DEVICE std::int64_t warp_sum(std::int64_t value) {
  constexpr int split = 26;  // 32 of either part fit in 32 bits
  const auto high = std::int32_t(warp_add(std::uint32_t(std::int32_t(value >> split))));
  const std::uint32_t low = warp_add(std::uint32_t(value) & ((1u << split) - 1));
  return std::int64_t(std::uint64_t(std::int64_t(high)) << split) + std::int64_t(low);
}

/// The same of 64 bits.
ONEFOLD_DEVICE std::uint64_t warp_add(std::uint64_t value) {
  constexpr int split = 26;
  constexpr std::uint32_t part = (1u << split) - 1;
  const std::uint64_t low = warp_add(std::uint32_t(value) & part),
                      middle = warp_add(std::uint32_t(value >> split) & part),
                      high = warp_add(std::uint32_t(value >> 2 * split));
  return low + (middle << split) + (high << 2 * split);
}

}  // namespace onefold::cuda
