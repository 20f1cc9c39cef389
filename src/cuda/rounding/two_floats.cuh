// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers to two floats, by operations of floats alone: sums and means, which are always decided,
// and norms, variances and deviations, which an interval decides.
//
// Let u = 2^-24. A square p = fl(a^2) of 2^-102 or more leaves e = a^2 - p exactly (fma), |e| <= u
// p (1 + u); that of a smaller one is off by less than 2^-149.
//   Norms: a^2 >= b^2 have the squares p + e, q + f; h = fl(p + q) leaves l exactly, |l| <= u h.
//   low = fl(l + fl(e + f)) is off by less than 3.1 u^2 h + 2^-148.
//   Variances: x - y is h + l exactly (TwoSum), its square h^2 + 2 h l + l^2, h^2 = p + e exactly.
//   low = fl(2 h l + e), rounded once (fma), is off by less than 4.1 u^2 p + 2^-150.
// So where 2^-100 <= high <= 2^126, a square S is high + low but for less than 2^-45.8 high, and
// |low| < 2^-22.3 high. The fma with the window is off by less than 2^-46.1 high, so that RN(high +
// low) is RN(S) if both ends of a window of 2^-44 high round alike. If l is 0, S is h^2, and high
// is RN(S). A factor 1/2 or 1/4 is exact.
//
// Roots: with any Y, R = fl(high Y) and t = fl(high - R^2), |t| <= 2^-21 high; then sqrt(S) is R +
// c, c = (t + low) / (2 R), but for (t + low)^2 / (8 R^3) < 2^-44 R. As R Y is 1 but for 2^-20.9,
// and |c| < 2^-21.5 R, c' = fl(fl(t + low) / 2 Y) is off by 2^-42.4 R, and by its roundings, with
// that of t, of low and of the fma with the window, 6.3 2^-46 R. All that is below 2^-41.4 R: the
// window has 2^-41 R.
//
// |x - y| / sqrt(2) is never a tie, |x - y| / 2 often is, but it is h / 2, rounded.

#include "cuda/primitives/root_estimate.cuh"
#include "onefold/detail/float_format.hpp"

namespace onefold::cuda {

/// One addition rounds the sum of two floats once.
ONEFOLD_DEVICE std::uint32_t sum_of_two(float x, float y) {
  const float sum = x + y;
  return sum == sum ? __float_as_uint(sum) : detail::float_format<float>::quiet_nan;
}

/// The same of their mean. Half of a sum below 2^-125, which is exact, is rounded, of others it is
/// exact; and halves are, of a sum that is too large.
ONEFOLD_DEVICE std::uint32_t mean_of_two(float x, float y) {
  const float sum = x + y, half = 0.5F * x;
  const float mean = fabsf(sum) < __uint_as_float(detail::float_format<float>::infinity)
                         ? 0.5F * sum
                         : half + 0.5F * y;
  return mean == mean ? __float_as_uint(mean) : detail::float_format<float>::quiet_nan;
}

/// Windows of the tests, relative to what they are about; a mutant has others. off: a test's
/// estimates are so many times those of the device.
struct two_float_windows {
  static constexpr float of_square = 0x1p-44F, of_root = 0x1p-41F, least = 0x1p-100F, off = 1;
};

/// A square of two floats, or of their distance.
template <class Windows>
struct square_of_floats {
  float high, low;
  bool is_zero;   ///< exactly
  bool is_exact;  ///< it is a product of two floats

  ONEFOLD_DEVICE bool in_range() const { return high >= Windows::least && high <= 0x1p126F; }
  /// The square times `factor`, 1/2 or 1/4, rounded once, if it is decided.
  ONEFOLD_DEVICE bool rounded(float factor, std::uint32_t& made) const {
    const float above = high + __fmaf_rn(high, Windows::of_square, low);
    const float below = high + __fmaf_rn(high, -Windows::of_square, low);
    made = is_zero ? 0 : __float_as_uint((is_exact ? high : above) * factor);
    return is_zero || (in_range() && (is_exact || above == below));
  }
  ONEFOLD_DEVICE bool root(std::uint32_t& made) const {
    const float y = root_reciprocal_estimate(high) * Windows::off, r = high * y;
    const float t = __fmaf_rn(-r, r, high);
    const float c = 0.5F * (t + low) * y;
    const float above = r + __fmaf_rn(r, Windows::of_root, c);
    const float below = r + __fmaf_rn(r, -Windows::of_root, c);
    made = is_zero ? 0 : __float_as_uint(above);
    return is_zero || (in_range() && fabsf(t) <= 0x1p-21F * high && above == below);
  }
};

template <class Windows>
ONEFOLD_DEVICE square_of_floats<Windows> sum_of_squares(float x, float y) {
  const float p = x * x, q = y * y, e = __fmaf_rn(x, x, -p), f = __fmaf_rn(y, y, -q);
  const float high = p + q, larger = fmaxf(p, q), smaller = fminf(p, q);
  return {high, smaller - (high - larger) + (e + f), x == 0 && y == 0, false};
}
template <class Windows>
ONEFOLD_DEVICE square_of_floats<Windows> square_of_distance(float x, float y) {
  const float h = x - y, z = h - x, l = (x - (h - z)) - (y + z);
  const float high = h * h, e = __fmaf_rn(h, h, -high);
  return {high, __fmaf_rn(2 * h, l, e), h == 0, l == 0};
}

/// sqrt(x^2 + y^2) rounded once, if it is decided.
template <class Windows = two_float_windows>
ONEFOLD_DEVICE bool norm_of_two(float x, float y, std::uint32_t& made) {
  return sum_of_squares<Windows>(x, y).root(made);
}

/// The variance or deviation of two floats, rounded once, if it is decided. Population: (x - y)^2 /
/// 4, else / 2.
template <bool Root, bool Population, class Windows = two_float_windows>
ONEFOLD_DEVICE bool variance_of_two(float x, float y, std::uint32_t& made) {
  square_of_floats<Windows> square = square_of_distance<Windows>(x, y);
  if constexpr (Root && Population) {
    made = __float_as_uint(0.5F * fabsf(x - y));
    return square.is_zero || square.in_range();
  } else if constexpr (Root) {
    square.high *= 0.5F, square.low *= 0.5F;
    return square.root(made);
  } else {
    return square.rounded(Population ? 0.25F : 0.5F, made);
  }
}

}  // namespace onefold::cuda
