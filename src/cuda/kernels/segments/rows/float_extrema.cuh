// SPDX-License-Identifier: Apache-2.0
#pragma once
// The least, the greatest or the largest magnitude of rows of narrow floats: one operation for each
// word, where row_extrema takes six.

#include "cuda/kernels/segments/cut.cuh"
#include "cuda/primitives/greater.cuh"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/pairs.cuh"
#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

/// The greatest element of a lane, after all signs are flipped or cleared. Words have one element
/// of 32 bits, or two of 16.
template <class T>
class float_max_lane {
 public:
  using element = typename detail::float_format<T>::bits;

  ONEFOLD_DEVICE float_max_lane(std::uint32_t cleared, std::uint32_t flipped)
      : cleared_(cleared), flipped_(flipped) {}
  ONEFOLD_DEVICE float_max_lane none() const { return float_max_lane(cleared_, flipped_); }

  ONEFOLD_DEVICE void add_unit(const uint4& x, std::uint32_t) {
    join(turned(x.x)), join(turned(x.y)), join(turned(x.z)), join(turned(x.w));
  }
  ONEFOLD_DEVICE void add_unit(element x, std::uint32_t) { join(turned(copies * x)); }
  ONEFOLD_DEVICE void join(const float_max_lane& other) { join(other.greatest_); }
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int mask = 1; mask < lanes; mask *= 2) join(__shfl_xor_sync(whole_warp, greatest_, mask));
  }
  /// With its sign as it was. A NaN is the canonical one.
  ONEFOLD_DEVICE element answer() const {
    std::uint32_t own = greatest_;
    if constexpr (packed) own = greater(own, own >> 16);
    const bool is_nan = element(own & magnitude) > infinity;
    return is_nan ? detail::float_format<T>::quiet_nan : element(own ^ flipped_);
  }

  static constexpr bool packed = sizeof(T) == 2;
  static constexpr std::uint32_t copies = packed ? 0x00010001 : 1;
  static constexpr element sign = detail::float_format<T>::sign_bit, magnitude = element(~sign);

 private:
  static constexpr element infinity = detail::float_format<T>::infinity;

  ONEFOLD_DEVICE static std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
    if constexpr (packed)
      return greater_halves_or_nan<T>(a, b);
    else
      return detail::to_bits(
          greater_or_nan(detail::from_bits<float>(a), detail::from_bits<float>(b)));
  }
  ONEFOLD_DEVICE std::uint32_t turned(std::uint32_t x) const { return (x & ~cleared_) ^ flipped_; }
  ONEFOLD_DEVICE void join(std::uint32_t x) { greatest_ = greater(greatest_, x); }

  std::uint32_t cleared_, flipped_;  // signs of a word
  std::uint32_t greatest_ = copies * (sign | infinity);
};

/// min, max, norminf. NaNs propagate.
template <class T>
class row_float_extrema {
 public:
  using lane = float_max_lane<T>;
  using element = typename lane::element;

  ONEFOLD_DEVICE explicit row_float_extrema(const segment_arguments& a)
      : out_(static_cast<element*>(a.block.out)),
        cleared_(a.request.op == op::norminf ? lane::copies * lane::sign : 0),
        flipped_(a.request.op == op::min ? lane::copies * lane::sign : 0) {}

  ONEFOLD_DEVICE lane operator()() const { return lane(cleared_, flipped_); }
  ONEFOLD_DEVICE void write(const lane& lane, std::int64_t k) const { out_[k] = lane.answer(); }
  /// take(the answer of a lane).
  template <class Take>
  ONEFOLD_DEVICE void with_answer(const Take& take) const {
    take([](const lane& lane) { return lane.answer(); });
  }

 private:
  element* out_;
  std::uint32_t cleared_, flipped_;
};

}  // namespace onefold::cuda
