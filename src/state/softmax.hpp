// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax of f16, bf16 and f32, and losses of class indices: what is computed of a
// row's sum of exponentials, and of each element with it. Every operation rounds the same on every
// machine (docs/numerics/softmax.md, docs/numerics/cross-entropy.md).
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/scaled_pair.hpp"
#include "state/exponential.hpp"
#include "state/logarithm.hpp"

namespace onefold::detail {

/// Bits of a sum of exponentials that count: 2^-33 is below the terms' own error, 2^-29.8, and so
/// far above that of a plain sum of doubles that it decides all but a few rows of a million.
inline constexpr int softmax_bits = 32;

/// s to 32 bits, ties to even. Precondition: finite.
ONEFOLD_HOST_DEVICE constexpr double softmax_rounded(double s) noexcept {
  constexpr int cut = 53 - softmax_bits;
  constexpr std::uint64_t unit = std::uint64_t(1) << cut;
  const std::uint64_t bits = to_bits(s);
  return from_bits<double>((bits + (unit / 2 - 1) + (bits >> cut & 1)) & ~(unit - 1));
}

/// What all numbers from `low` to `high` are to 32 bits; -1: that differs, or they are not
/// positive.
ONEFOLD_HOST_DEVICE constexpr double decided_between(double low, double high) noexcept {
  const double least = softmax_rounded(low);
  return low >= 0 && least == softmax_rounded(high) ? least : -1;
}
/// What a plain sum of doubles may err by: of positive terms, in any tree in which a term goes
/// through at most `depth` additions, below 2^24.
ONEFOLD_HOST_DEVICE constexpr double plain_error(double sum, std::int64_t depth) noexcept {
  return sum * (double(depth + 4) * 0x1p-53);
}
/// The sum of exponentials if a plain sum decides it; -1: it does not.
ONEFOLD_HOST_DEVICE constexpr double decided_sum(double sum, std::int64_t depth) noexcept {
  const double error = plain_error(sum, depth);
  return decided_between(sum - error, sum + error);
}

/// What a row's elements are computed from: its highest band, and the sum of the exponentials in
/// units of that band, to 32 bits.
struct softmax_total {
  double band, sum;
};

/// What exponentials of the highest band and of the next lower one are multiplied by.
struct softmax_factors {
  double top, below;
};
ONEFOLD_HOST_DEVICE constexpr softmax_factors factors_of(const softmax_total& row) noexcept {
  const double top = 1 / row.sum;
  return {top, top * band_ratio};
}

/// softmax of an element before its rounding to a float and to its type; with factors times a
/// number that number times softmax.
ONEFOLD_HOST_DEVICE inline double quotient_of(float x, double band,
                                              const softmax_factors& factors) noexcept {
  const auto [own, rest] = banded_of(x);
  if (double(own) == band) return exponential(rest) * factors.top;
  if (double(own) == band - 1) return exponential(rest) * factors.below;
  return 0 * factors.top;
}

/// The logarithm of the row's sum.
ONEFOLD_HOST_DEVICE inline scaled_pair logarithm_of(const softmax_total& row) noexcept {
  return logarithm_of({row.sum, 0, 0}, row.band * band_width);
}
/// The same as two numbers of the type in which it is subtracted: doubles for f32, floats for f16
/// and bf16.
template <class T>
using softmax_step = std::conditional_t<sizeof(T) == 4, double, float>;
template <class Step>
struct split_logarithm {
  Step high, low;
};
template <class T>
ONEFOLD_HOST_DEVICE constexpr split_logarithm<softmax_step<T>>
split_of(const scaled_pair& logarithm) noexcept {
  using step = softmax_step<T>;
  const auto high = static_cast<step>(logarithm.high);
  return {high, static_cast<step>((logarithm.high - double(high)) + logarithm.low)};
}
/// log_softmax of an element before its rounding, unless it is near 0.
template <class Step>
ONEFOLD_HOST_DEVICE constexpr Step less_logarithm(float x,
                                                  const split_logarithm<Step>& logarithm) noexcept {
  return (Step(x) - logarithm.high) - logarithm.low;
}
/// Whether a logarithm is near 0: that of an element of more than half the sum, so of one at most.
ONEFOLD_HOST_DEVICE constexpr bool near_zero(double logarithm) noexcept {
  return logarithm > -0.5 && logarithm < 0.5;
}
/// log_softmax of that element: -log(1 + rest / own), `own` its exponential, `rest` the sum of all
/// others', to 32 bits. Relative error below 2^-40.
///
/// log(1 + q) is 2 (u + u^3 / 3 + …) with u = q / (2 + q), at most 1/4; what is left out after u^17
/// is below 2^-40.7 of it.
ONEFOLD_HOST_DEVICE inline double logarithm_near_zero(double own, double rest) noexcept {
  const double q = rest / own, u = q / (2 + q), v = u * u;
  double p = __builtin_fma(v, 1.0 / 17, 1.0 / 15);
  p = __builtin_fma(v, p, 1.0 / 13), p = __builtin_fma(v, p, 1.0 / 11);
  p = __builtin_fma(v, p, 1.0 / 9), p = __builtin_fma(v, p, 1.0 / 7);
  p = __builtin_fma(v, p, 1.0 / 5), p = __builtin_fma(v, p, 1.0 / 3);
  const double twice = u + u;
  return 0 - __builtin_fma(twice * v, p, twice);
}

/// What cross_entropy writes of a row, as three doubles, for the backward pass.
struct class_total {
  softmax_total row;
  double slope;  ///< softmax of the target less 1: the derivative of the loss by that element
};

/// What is computed of a row's target.
struct class_loss {
  float loss;
  double slope;
};
/// x: the target's element, which is not near zero in log_softmax; quotient: its softmax.
template <class Step>
ONEFOLD_HOST_DEVICE constexpr class_loss
class_loss_of(float x, double quotient, const split_logarithm<Step>& logarithm) noexcept {
  return {0 - float(less_logarithm(x, logarithm)), quotient - 1};
}
/// own: the exponential of the target, of which log_softmax is near zero; rest: the sum of all
/// others', to 32 bits.
ONEFOLD_HOST_DEVICE inline class_loss class_loss_near_zero(double own, double rest,
                                                           const softmax_total& row) noexcept {
  return {0 - float(logarithm_near_zero(own, rest)), 0 - rest * factors_of(row).top};
}

/// What exponentials are multiplied by for the derivatives of scale * loss; finite where the scale
/// is and the row is numbers'.
ONEFOLD_HOST_DEVICE inline softmax_factors scaled_factors_of(const softmax_total& row,
                                                             float scale) noexcept {
  const softmax_factors factors = factors_of(row);
  return {factors.top * scale, factors.below * scale};
}

}  // namespace onefold::detail
