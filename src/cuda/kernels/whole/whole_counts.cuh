// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts of elements that are not zero and of NaNs, and the and, or and xor of integers: the states
// of detail/nonzero_counts.hpp and detail/bit_fold.hpp.

#include "cuda/kernels/whole/one_launch.cuh"
#include "cuda/primitives/element_lanes.cuh"
#include "onefold/detail/bit_fold.hpp"
#include "onefold/detail/nonzero_counts.hpp"

namespace onefold::cuda::folds {

/// What a lane takes; that of counts has room for 2^32 elements.
template <class Raw, class Lane>
class lane_fold {
 public:
  using element = Raw;

  template <unsigned Vectors>
  ONEFOLD_DEVICE void take(const uint4 (&v)[Vectors], std::int64_t) {
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < Vectors; ++i) lane_.add_unit(unit_of<Raw>(v[i]), 0);
  }
  ONEFOLD_DEVICE void take_one(Raw bits, std::int64_t) { lane_.add_unit(bits, 0); }

 protected:
  ONEFOLD_DEVICE lane_fold(const element_kind& kind, const Lane& lane) : kind_(kind), lane_(lane) {}

  element_kind kind_;
  Lane lane_;
};

template <class Raw>
class count_fold : public lane_fold<Raw, count_lane<Raw>> {
 public:
  using state = detail::nonzero_counts;
  static constexpr int state_words = 3;
  static constexpr int partial_words = 2;  ///< non-zeros, NaNs

  ONEFOLD_DEVICE explicit count_fold(const element_kind& kind)
      : lane_fold<Raw, count_lane<Raw>>(kind, count_lane<Raw>(kind)) {}

  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    to[0] = this->lane_.nonzeros(), to[1] = this->lane_.nans();
  }
  ONEFOLD_DEVICE static void clear(std::int64_t* to) { to[0] = to[1] = 0; }
  ONEFOLD_DEVICE static void merge(std::int64_t* into, const std::int64_t* from) {
    into[0] += from[0], into[1] += from[1];
  }
  ONEFOLD_DEVICE void finish(const vectors<Raw>&, std::int64_t n, const std::int64_t* partial,
                             std::int64_t*, std::int64_t* words) const {
    if (threadIdx.x == 0) words[0] = n, words[1] = partial[0], words[2] = partial[1];
  }
};

template <class Raw>
class bits_fold : public lane_fold<Raw, bits_lane<Raw>> {
 public:
  using state = detail::bit_fold;
  static constexpr int state_words = 4;
  static constexpr int partial_words = 3;  ///< and, or, xor

  ONEFOLD_DEVICE explicit bits_fold(const element_kind& kind)
      : lane_fold<Raw, bits_lane<Raw>>(kind, bits_lane<Raw>(kind.type == dtype::boolean)) {}

  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    const folded_bits bits = this->lane_.sum();
    to[0] = bits.all, to[1] = bits.any, to[2] = bits.odd;
  }
  ONEFOLD_DEVICE static void clear(std::int64_t* to) { to[0] = -1, to[1] = to[2] = 0; }
  ONEFOLD_DEVICE static void merge(std::int64_t* into, const std::int64_t* from) {
    into[0] &= from[0], into[1] |= from[1], into[2] ^= from[2];
  }
  ONEFOLD_DEVICE void finish(const vectors<Raw>&, std::int64_t n, const std::int64_t* partial,
                             std::int64_t*, std::int64_t* words) const {
    if (threadIdx.x != 0) return;
    const auto extended = [&](int i) { return integer_of(Raw(partial[i]), this->kind_); };
    words[0] = n, words[1] = n == 0 ? -1 : extended(0);
    words[2] = extended(1), words[3] = extended(2);
  }
};

}  // namespace onefold::cuda::folds
