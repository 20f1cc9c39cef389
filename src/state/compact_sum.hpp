// SPDX-License-Identifier: Apache-2.0
// The exact sum of floating-point elements in 32 bytes, as long as three doubles can represent it.
//
//   S = a + b + c, exactly. Every addition is checked; one that would lose a bit is refused, and
//   the caller continues in a wide_sum. So an answer is the correctly rounded sum of any input.
//
// Precondition: to nearest, subnormals kept, no contraction (runtime/float_environment.hpp).
// Proofs: docs/numerics/compact-state.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "onefold/exact.hpp"

namespace onefold {

/// a + b rounded to a double, and its rounding error. Invariant: exact where the error is finite.
struct rounded_sum {
  double value, error;
};
inline rounded_sum two_sum(double a, double b) {
  const double value = a + b, from_b = value - a;
  return {value, (a - (value - from_b)) + (b - from_b)};
}

/// The checks that the proofs rely on; tests switch them off one at a time.
struct compact_checks {
  bool residual = true;    ///< an addition that would lose a bit is refused
  bool odd = true;         ///< the rest that the last addition cannot hold is rounded to odd
  bool mean_error = true;  ///< a mean is not certified within the error bound of its quotient
};

/// a + b rounded to odd: the exact sum, or the neighbouring double whose last bit is set.
/// Precondition: the sum does not overflow.
inline double odd_sum(double a, double b) {
  const auto [value, error] = two_sum(a, b);
  const std::uint64_t bits = detail::to_bits(value);
  if (error == 0 || (bits & 1) != 0) return value;
  return detail::from_bits<double>((error > 0) == (value > 0) ? bits + 1 : bits - 1);
}

/// A double in another format, rounded once.
template <class Out>
Out narrowed(double x) {
  if constexpr (std::is_same_v<Out, double> || std::is_same_v<Out, float>) {
    return static_cast<Out>(x);
  } else {
    const std::uint64_t bits = detail::to_bits(x);
    const std::int64_t magnitude = detail::significand<double>(bits);
    const std::int64_t digits[2] = {magnitude & 0xFFFFFFFF, magnitude >> 32};
    const int exponent = detail::float_format<double>::lsb + detail::unit_shift<double>(bits);
    return detail::with_sign<Out>(detail::round_magnitude<Out>({digits, 2}, exponent),
                                  bits >> 63 != 0);
  }
}

/// The exact sum of doubles. Capacity: fewer than 2^56 elements. A refused operation leaves the
/// state unchanged.
template <compact_checks Checks = compact_checks()>
class basic_compact_sum {
 public:
  using wide = detail::wide_sum<double>;

  /// Adds one element. False: it does not fit.
  bool add(double x) {
    if (!put(x)) return add_hard(x);
    ++word_;
    return true;
  }

  /// Adds the elements of another sum, all or none. False: they do not fit.
  bool merge(const basic_compact_sum& other) {
    basic_compact_sum both = *this;
    const bool fits = both.put_hard(other.a_) && (other.b_ == 0 || both.put_hard(other.b_)) &&
                      (other.c_ == 0 || both.put_hard(other.c_));
    if (!fits) return false;
    both.word_ = (word_ | other.word_) & ~count_mask;
    both.word_ |= std::uint64_t(count() + other.count());
    *this = both;
    return true;
  }

  /// Adds all elements to a wide sum.
  void drain(wide& into) const {
    for (const double part : {a_, b_, c_}) {
      const std::uint64_t bits = detail::to_bits(part);
      const std::int64_t magnitude = detail::significand<double>(bits);
      into.deposit(bits >> 63 ? -magnitude : magnitude, detail::unit_shift<double>(bits));
    }
    for (const special& special : specials)
      if ((word_ & special.flag) != 0) into.note_special(special.bits);
    into.note_elements(count(), all_negative_zeros());
  }
  wide widened() const {
    wide sum;
    drain(sum);
    return sum;
  }

  /// The sum in a floating format, correctly rounded; zeros, Inf and NaN as wide_sum::value.
  template <class Out = double>
  Out value() const {
    if (is_hard()) return widened().template value<Out>();
    if (all_negative_zeros() && count() > 0) return narrowed<Out>(-0.0);
    const auto [high, low] = parts();
    if constexpr (std::is_same_v<Out, double>)
      return high + low;
    else
      return narrowed<Out>(last_sum(high, low));
  }

  /// The sum divided by the number of elements, rounded once; as wide_sum::mean.
  template <class Out = double>
  Out mean() const {
    if (count() == 1) return value<Out>();
    const auto [high, low] = parts();
    const bool easy = std::fabs(high) >= 0x1p-900 && count() < std::int64_t(1) << 53;
    if (is_hard() || !easy || count() == 0) return widened().template mean<Out>();
    if ((count() & (count() - 1)) == 0)
      return narrowed<Out>((std::is_same_v<Out, double> ? high + low : last_sum(high, low)) /
                           double(count()));
    Out lower, upper;
    mean_ends(high, low, lower, upper);
    const bool certified = detail::to_bits(lower) == detail::to_bits(upper);
    return certified ? lower : widened().template mean<Out>();
  }

  std::int64_t count() const { return std::int64_t(word_ & count_mask); }

  /// A flag for the owner: the elements are in a wide sum elsewhere.
  bool spilled() const { return (word_ & spilled_flag) != 0; }
  void note_spilled() { word_ |= spilled_flag; }

 private:
  struct special {
    std::uint64_t flag, bits;
  };
  static constexpr std::uint64_t count_mask = (std::uint64_t(1) << 56) - 1;
  static constexpr std::uint64_t spilled_flag = std::uint64_t(1) << 63;
  static constexpr special specials[] = {
      {std::uint64_t(1) << 56, detail::float_format<double>::quiet_nan},
      {std::uint64_t(1) << 57, detail::float_format<double>::infinity},
      {std::uint64_t(1) << 58,
       detail::float_format<double>::infinity | detail::float_format<double>::sign_bit}};

  bool put(double x) {
    const auto [a, e] = two_sum(a_, x);
    if (e == 0) return a_ = a, true;
    const auto [b, f] = two_sum(b_, e);
    if (f == 0) return a_ = a, b_ = b, true;
    const auto [c, g] = two_sum(c_, f);
    if (Checks.residual && !(g == 0)) return false;
    a_ = a, b_ = b, c_ = c;
    return true;
  }

  // Retries after renormalising: the same sum in parts that overlap less.
  bool put_hard(double x) {
    if (put(x)) return true;
    basic_compact_sum again = *this;
    return again.renormalise() && again.put(x) && (*this = again, true);
  }

  bool renormalise() {
    for (int pass = 0; pass < 2; ++pass) {
      join(b_, c_), join(a_, b_), join(b_, c_);
      if (!std::isfinite(a_) || !std::isfinite(b_) || !std::isfinite(c_)) return false;
    }
    return true;
  }
  static void join(double& high, double& low) {
    const auto [value, error] = two_sum(high, low);
    high = value, low = error;
  }

  bool add_hard(double x) {
    if (std::isfinite(x)) return put_hard(x) && (++word_, true);
    word_ |= specials[std::isnan(x) ? 0 : x > 0 ? 1 : 2].flag;
    ++word_;
    return true;
  }

  bool all_negative_zeros() const { return detail::to_bits(a_) == detail::to_bits(-0.0); }

  // Whether there are specials, or the sum is close to overflow.
  bool is_hard() const {
    return (word_ & ~count_mask) != 0 || !(std::fabs(a_) < 0x1p1020 && std::fabs(b_) < 0x1p1020);
  }

  static double last_sum(double a, double b) { return Checks.odd ? odd_sum(a, b) : a + b; }

  // The sum as a double and a remainder rounded to odd: together they round as the exact sum.
  std::pair<double, double> parts() const {
    const auto [middle, low] = two_sum(b_, c_);
    const auto [high, rest] = two_sum(a_, middle);
    return {high, last_sum(rest, low)};
  }

  // Bounds of the mean, each rounded to Out.
  template <class Out>
  void mean_ends(double high, double low, Out& lower, Out& upper) const {
    const double n = double(count()), quotient = high / n;
    const double rest = std::fma(-quotient, n, high);
    const double further = (rest + low) / n;
    const double share = Checks.mean_error ? 0x1p-50 : 0;
    const double error = (std::fabs(rest) + std::fabs(low)) * share / n + share * 0x1p-1010;
    const double least = quotient + (further - error), most = quotient + (further + error);
    if constexpr (std::is_same_v<Out, double>) {
      lower = least, upper = most;
    } else {
      lower = narrowed<Out>(std::nextafter(least, -HUGE_VAL));
      upper = narrowed<Out>(std::nextafter(most, HUGE_VAL));
    }
  }

  double a_ = -0.0, b_ = 0, c_ = 0;  // a is -0 iff every element was
  std::uint64_t word_ = 0;           // the number of elements, and flags above it
};

using compact_sum = basic_compact_sum<>;
static_assert(sizeof(compact_sum) == 32);

}  // namespace onefold
