// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words between the lanes of a warp: shuffles, votes, matches, reductions, __syncwarp.
//
// A lane waits until every lane of its mask has come to the same word with the same mask. Only
// __syncwarp orders memory; the others exchange values and nothing else.

#include "simt/lane_calls.hpp"

#if !defined(__CUDACC__)

/// Lanes of a warp: 32 unless the launch asks for a toy warp.
extern const int warpSize __asm__("onefold_simt_warp_size");

ONEFOLD_WORD void __syncwarp(unsigned mask = 0xFFFFFFFF) noexcept {
  ::onefold::simt::warp_operation(ONEFOLD_HERE, {::onefold::simt::warp_word::synchronise, mask});
}

/// Which lanes have come here together is up to the device. Here a lane is always alone, which
/// CUDA allows: what needs company names it in a mask.
ONEFOLD_WORD unsigned __activemask() noexcept {
  return ::onefold::simt::own_lane_mask();
}

#define ONEFOLD_SHUFFLE(T, bits, name, word, argument_type)                                        \
  ONEFOLD_WORD T name(unsigned mask, T value, argument_type argument,                              \
                      int width = warpSize) noexcept {                                             \
    const auto got = static_cast<bits>(::onefold::simt::warp_operation(                            \
        ONEFOLD_HERE, {::onefold::simt::warp_word::word, mask, __builtin_bit_cast(bits, value),    \
                       static_cast<int>(argument), width}));                                       \
    return __builtin_bit_cast(T, got);                                                             \
  }
#define ONEFOLD_SHUFFLES(T, bits)                                                                  \
  ONEFOLD_SHUFFLE(T, bits, __shfl_sync, shuffle, int)                                              \
  ONEFOLD_SHUFFLE(T, bits, __shfl_up_sync, shuffle_up, unsigned)                                   \
  ONEFOLD_SHUFFLE(T, bits, __shfl_down_sync, shuffle_down, unsigned)                               \
  ONEFOLD_SHUFFLE(T, bits, __shfl_xor_sync, shuffle_xor, int)
ONEFOLD_SHUFFLES(int, std::uint32_t)
ONEFOLD_SHUFFLES(unsigned, std::uint32_t)
ONEFOLD_SHUFFLES(float, std::uint32_t)
ONEFOLD_SHUFFLES(long, std::uint64_t)
ONEFOLD_SHUFFLES(unsigned long, std::uint64_t)
ONEFOLD_SHUFFLES(long long, std::uint64_t)
ONEFOLD_SHUFFLES(unsigned long long, std::uint64_t)
ONEFOLD_SHUFFLES(double, std::uint64_t)

#define ONEFOLD_VOTE(R, name, word)                                                                \
  ONEFOLD_WORD R name(unsigned mask, int predicate) noexcept {                                     \
    return static_cast<R>(::onefold::simt::warp_operation(                                         \
        ONEFOLD_HERE, {::onefold::simt::warp_word::word, mask, predicate != 0}));                  \
  }
ONEFOLD_VOTE(unsigned, __ballot_sync, ballot)
ONEFOLD_VOTE(int, __any_sync, any)
ONEFOLD_VOTE(int, __all_sync, all)

#define ONEFOLD_FOLD(R, T, bits, name, word)                                                       \
  ONEFOLD_WORD R name(unsigned mask, T value) noexcept {                                           \
    return static_cast<R>(::onefold::simt::warp_operation(                                         \
        ONEFOLD_HERE, {::onefold::simt::warp_word::word, mask, __builtin_bit_cast(bits, value)})); \
  }
ONEFOLD_FOLD(unsigned, int, std::uint32_t, __match_any_sync, match)
ONEFOLD_FOLD(unsigned, unsigned, std::uint32_t, __match_any_sync, match)
ONEFOLD_FOLD(unsigned, float, std::uint32_t, __match_any_sync, match)
ONEFOLD_FOLD(unsigned, long, std::uint64_t, __match_any_sync, match)
ONEFOLD_FOLD(unsigned, unsigned long, std::uint64_t, __match_any_sync, match)
ONEFOLD_FOLD(unsigned, long long, std::uint64_t, __match_any_sync, match)
ONEFOLD_FOLD(unsigned, unsigned long long, std::uint64_t, __match_any_sync, match)
ONEFOLD_FOLD(unsigned, double, std::uint64_t, __match_any_sync, match)
ONEFOLD_FOLD(int, int, std::uint32_t, __reduce_add_sync, add)
ONEFOLD_FOLD(int, int, std::uint32_t, __reduce_min_sync, min_signed)
ONEFOLD_FOLD(int, int, std::uint32_t, __reduce_max_sync, max_signed)
ONEFOLD_FOLD(unsigned, unsigned, std::uint32_t, __reduce_add_sync, add)
ONEFOLD_FOLD(unsigned, unsigned, std::uint32_t, __reduce_min_sync, min)
ONEFOLD_FOLD(unsigned, unsigned, std::uint32_t, __reduce_max_sync, max)
ONEFOLD_FOLD(unsigned, unsigned, std::uint32_t, __reduce_and_sync, bit_and)
ONEFOLD_FOLD(unsigned, unsigned, std::uint32_t, __reduce_or_sync, bit_or)
ONEFOLD_FOLD(unsigned, unsigned, std::uint32_t, __reduce_xor_sync, bit_xor)

#undef ONEFOLD_SHUFFLE
#undef ONEFOLD_SHUFFLES
#undef ONEFOLD_VOTE
#undef ONEFOLD_FOLD

#endif
