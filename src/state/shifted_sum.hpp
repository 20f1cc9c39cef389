// SPDX-License-Identifier: Apache-2.0
// Merging sums of exponentials, by the same operations on the host and in kernels
// (docs/numerics/logsumexp.md, section 3).
#pragma once

#include "onefold/detail/config.hpp"

namespace onefold::exponential {

struct double_word {
  double high, low;
};

/// high + low == a + b exactly.
ONEFOLD_HOST_DEVICE inline double_word exact_sum(double a, double b) noexcept {
  const double high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

ONEFOLD_HOST_DEVICE inline double_word sum_of(const double_word& a, const double_word& b) noexcept {
  const double_word high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const double_word middle = exact_sum(high.high, high.low + low.high);
  return exact_sum(middle.high, middle.low + low.low);
}

/// A shift changes only if that of a piece exceeds it by more.
inline constexpr double shift_reach = 32;

/// (high + low) exp(shift).
struct shifted_sum {
  double shift = 0;
  double_word sum = {0, 0};
};

/// x exp(from - to); the difference is a double-word number. of(d) is exp(d), 0 below -708.
template <class Exponential>
ONEFOLD_HOST_DEVICE double_word scaled(const double_word& x, double from, double to,
                                       const Exponential& of) noexcept {
  const double_word d = exact_sum(from, -to);
  const double factor = of(d.high);
  if (factor == 0) return {0, 0};  // the difference may be infinite
  const double high = x.high * factor;
  const double error = __builtin_fma(x.high, factor, -high);
  return exact_sum(high, error + (x.low * factor + high * d.low));
}

/// The sum of the elements of `next`, which follow those of `front`, and of `front`.
template <class Exponential>
ONEFOLD_HOST_DEVICE shifted_sum appended(const shifted_sum& front, const shifted_sum& next,
                                         const Exponential& of) noexcept {
  if (next.sum.high == 0) return front;
  if (front.sum.high == 0) return {next.shift, sum_of(front.sum, next.sum)};
  const bool rises = next.shift - front.shift > shift_reach;
  const double from = rises ? front.shift : next.shift, to = rises ? next.shift : front.shift;
  const double_word moved = scaled(rises ? front.sum : next.sum, from, to, of);
  return {to, rises ? sum_of(moved, next.sum) : sum_of(front.sum, moved)};
}

}  // namespace onefold::exponential
