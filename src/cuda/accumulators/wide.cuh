// SPDX-License-Identifier: Apache-2.0
#pragma once
// The wide integer of detail/wide_digits.hpp, spread over the lanes of a warp.
//
// The words of a warp lie in shared memory, and lane i alone touches words i, i + 32, … : deposits
// follow one another without a barrier and without atomics. Counters follow the digits.

#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

/// Word `at` after every digit has handed its carry one place up. Words after the limbs carry
/// nothing.
template <int Limbs>
ONEFOLD_DEVICE std::int64_t carried_word(const std::int64_t* words, unsigned at) {
  const std::int64_t own = at + 1 < Limbs ? words[at] & 0xFFFFFFFF : words[at];
  return 0 < at && at < Limbs ? own + (words[at - 1] >> 32) : own;
}

template <int Limbs, int Words>
class warp_digits {
 public:
  ONEFOLD_DEVICE explicit warp_digits(std::int64_t* words) : words_(words), lane_(lane_index()) {}

  ONEFOLD_DEVICE void clear() const {
    for (unsigned i = lane_; i < Words; i += warp_lanes) words_[i] = 0;
  }
  ONEFOLD_DEVICE std::int64_t* words() const { return words_; }

  /// Adds k * 2^shift, the same in every lane. Invariant: each limb changes by less than 2^32.
  /// Precondition: 0 <= shift, and the three digits at shift lie inside the limbs.
  ONEFOLD_DEVICE void deposit(std::int64_t k, int shift) const {
    const unsigned first = unsigned(shift) >> 5, bit = unsigned(shift) & 31;
    const unsigned place = (lane_ - first) % warp_lanes;
    if (place > 2) return;
    const std::uint64_t low = std::uint64_t(k) << bit;
    const std::int64_t digit = place == 0   ? std::int64_t(low & 0xFFFFFFFFu)
                               : place == 1 ? std::int64_t(low >> 32)
                                            : (k >> 1) >> (63 - bit);
    words_[first + place] += digit;
  }

  /// Adds to a counter, the same in every lane.
  ONEFOLD_DEVICE void count(unsigned word, std::int64_t amount) const {
    if (word % warp_lanes == lane_) words_[word] += amount;
  }

  /// Limbs below 2^33 again, for another 2^30 deposits. The value stays.
  ONEFOLD_DEVICE void carry() const {
    constexpr unsigned shares = (Limbs + warp_lanes - 1) / warp_lanes;
    std::int64_t next[shares];
    __syncwarp();
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < shares; ++i) next[i] = carried(lane_ + i * warp_lanes);
    __syncwarp();
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < shares; ++i)
      if (lane_ + i * warp_lanes < Limbs) words_[lane_ + i * warp_lanes] = next[i];
    __syncwarp();
  }

 private:
  ONEFOLD_DEVICE std::int64_t carried(unsigned at) const {
    return at < Limbs ? carried_word<Limbs>(words_, at) : 0;
  }

  std::int64_t* words_;
  unsigned lane_;
};

}  // namespace onefold::cuda
