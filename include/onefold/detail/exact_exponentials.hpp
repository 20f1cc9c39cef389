// SPDX-License-Identifier: Apache-2.0
// The exact sum of exponentials, logsumexp's, in integer arithmetic alone: the bits of the library,
// whatever the flags and the rounding mode of the caller.
//
// Each operation of E(x) and of the logarithm (docs/numerics/logsumexp.md) is an exact sum of one
// or two products in limbs, rounded once. The library's own loops use the processor's operations,
// in src/state/{exponential,logarithm}.hpp: code with those may not be in a header, because a
// program's copy of an inline function, compiled with -ffast-math, can replace the library's.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/additive.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/detail/exponential_sum.hpp"
#include "onefold/detail/exponential_tables.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/detail/scaled_pair.hpp"
#include "onefold/detail/wide_digits.hpp"
#include "onefold/dtype.hpp"

namespace onefold {

namespace detail {

/// digits 2^exponent in format T, rounded once.
template <class T>
ONEFOLD_HOST_DEVICE constexpr T nearest_of(std::uint64_t digits, int exponent, bool negative) {
  const std::int64_t limbs[2] = {std::int64_t(digits & 0xFFFFFFFF), std::int64_t(digits >> 32)};
  return with_sign<T>(round_magnitude<T>({limbs, 2}, exponent), negative);
}

/// Operations of format T, each rounded once. Precondition: a product of two significands is a
/// multiple of 2^Lsb, and sums are below 2^(32 (Limbs - 5) + Lsb).
template <class T, int Limbs, int Lsb>
struct integer_arithmetic {
  struct product {
    T a, b = 1;
  };
  template <class... More>
  ONEFOLD_HOST_DEVICE static constexpr T sum(product first, More... more) {
    wide_digits<Limbs> exact;
    deposit(exact, first);
    (deposit(exact, product(more)), ...);
    magnitude_digits<Limbs> digits;
    exact.write_magnitude(digits);
    return with_sign<T>(round_magnitude<T>(digits.view(), Lsb + 32 * digits.first_limb),
                        digits.below_zero);
  }
  ONEFOLD_HOST_DEVICE static constexpr T fused(T a, T b, T c) {
    return sum(product{a, b}, product{c});
  }
  ONEFOLD_HOST_DEVICE static constexpr T times(T a, T b) { return sum(product{a, b}); }
  ONEFOLD_HOST_DEVICE static constexpr T add(T a, T b) { return sum(product{a}, product{b}); }

 private:
  ONEFOLD_HOST_DEVICE static constexpr void deposit(wide_digits<Limbs>& to,
                                                    const product& product) {
    using format = float_format<T>;
    const auto a = to_bits(product.a), b = to_bits(product.b);
    const wide_product exact =
        multiply(std::uint64_t(significand<T>(a)), std::uint64_t(significand<T>(b)));
    if (exact.low == 0 && exact.high == 0) return;
    const int shift = 2 * format::lsb + unit_shift<T>(a) + unit_shift<T>(b) - Lsb;
    const auto low = std::int64_t(exact.low & INT64_MAX);
    const auto high = std::int64_t(exact.high << 1 | exact.low >> 63);
    const bool negative = ((a ^ b) & format::sign_bit) != 0;
    to.deposit(negative ? -low : low, shift);
    to.deposit(negative ? -high : high, shift + 63);
  }
};

/// Of E(x) where |rest| >= 2^-54: no number is below 2^-286, nor a product of significands below
/// 2^-338; none is beyond 2^53.
template <class T>
using exponential_arithmetic = integer_arithmetic<T, 18, -352>;
/// Of all doubles.
using double_arithmetic = integer_arithmetic<double, float_format<double>::product_limbs + 5,
                                             2 * float_format<double>::lsb>;

/// 2^(k / 32) (1 + s).
ONEFOLD_HOST_DEVICE constexpr double exact_power(std::int64_t k, double s) {
  const double power = power_of_step(int(std::uint64_t(k) % exponential_steps));
  const double scaled = exponential_arithmetic<double>::fused(power, s, power);
  return from_bits<double>(to_bits(scaled) + ((std::uint64_t(k) / exponential_steps) << 52));
}

/// E(rest), as `exponential` of the library.
ONEFOLD_HOST_DEVICE constexpr double exact_exponential(float rest) {
  using namespace exponential_of_float;
  using as = exponential_arithmetic<float>;
  if (exponent_field<float>(to_bits(rest)) < 127 - 54) return 1;
  const auto steps_of_rest = as::fused(rest, steps_of_1, integer_ulp);
  const auto k = std::int32_t(to_bits(steps_of_rest) - to_bits(integer_ulp));
  const float t = as::fused(float(k), -step_low, as::fused(float(k), -step_high, rest));
  const float p = as::fused(t, third, second);
  return exact_power(k, as::fused(as::times(t, t), p, t));
}
ONEFOLD_HOST_DEVICE constexpr double exact_exponential(double rest) {
  using namespace exponential_of_double;
  using as = exponential_arithmetic<double>;
  if (exponent_field<double>(to_bits(rest)) < 1023 - 54) return 1;
  const auto steps_of_rest = as::fused(rest, steps_of_1, integer_ulp);
  const auto k = std::int64_t(to_bits(steps_of_rest) - to_bits(integer_ulp));
  const double t = as::fused(double(k), -step_low, as::fused(double(k), -step_high, rest));
  double p = as::fused(t, sixth, fifth);
  p = as::fused(t, as::fused(t, as::fused(t, p, fourth), third), second);
  return exact_power(k, as::fused(as::times(t, t), p, t));
}

/// x = 512 band + rest. Precondition: finite.
template <class T>
struct exactly_banded {
  double band;
  T rest;
};
template <class T>
ONEFOLD_HOST_DEVICE constexpr exactly_banded<T> exact_band_of(T x) {
  using format = float_format<T>;
  constexpr int log_width = 9;
  static_assert(1 << log_width == band_width);
  const auto bits = to_bits(x);
  const bool negative = (bits & format::sign_bit) != 0;
  const auto digits = std::uint64_t(significand<T>(bits));
  const int exponent = format::lsb + unit_shift<T>(bits), cut = log_width - exponent;
  if (cut <= 0) return {nearest_of<double>(digits, exponent - log_width, negative), 0};
  if (cut > format::precision + 1) return {0, x};
  const std::uint64_t half = std::uint64_t(1) << (cut - 1), rest = digits & (2 * half - 1);
  std::uint64_t band = digits >> cut;
  if (rest < half || (rest == half && band % 2 == 0))
    return {nearest_of<double>(band, 0, negative && band != 0),
            nearest_of<T>(rest, exponent, negative)};
  return {nearest_of<double>(band + 1, 0, negative),
          nearest_of<T>(2 * half - rest, exponent, !negative)};
}

/// a + b exactly, as its rounding and the error of it.
ONEFOLD_HOST_DEVICE constexpr scaled_pair exact_two_sum(double a, double b) {
  using as = double_arithmetic;
  const double sum = as::add(a, b);
  return {sum, as::sum(as::product{a}, as::product{b}, as::product{-sum}), 0};
}

/// shift + log(s.high + s.low), as `logarithm_of` of the library.
ONEFOLD_HOST_DEVICE constexpr scaled_pair exact_logarithm(const scaled_pair& s, double shift) {
  using as = double_arithmetic;
  constexpr double powers[11] = {0,        0,       -1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5,
                                 -1.0 / 6, 1.0 / 7, -1.0 / 8, 1.0 / 9, -1.0 / 10};
  const std::uint64_t bits = to_bits(s.high);
  const int exponent = int(bits >> 52) - 1023;
  const double m = from_bits<double>((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000);
  const log_node node = log_node_of(int(bits >> 47 & (log_nodes - 1)));
  const double low = as::times(s.low, from_bits<double>(std::uint64_t(1023 - exponent) << 52));
  const double product = as::times(m, node.reciprocal), z = as::add(product, -1);
  const double z_low =
      as::add(as::fused(m, node.reciprocal, -product), as::times(low, node.reciprocal));
  double p = as::fused(z, powers[10], powers[9]);
  for (int i = 8; i >= 2; --i) p = as::fused(p, z, powers[i]);
  const double curve = as::fused(as::times(z, z), p, as::fused(z_low, -z, z_low));
  const scaled_pair whole = exact_two_sum(as::times(exponent, log_of_2_high), node.logarithm);
  const scaled_pair shifted = exact_two_sum(shift, whole.high);
  const scaled_pair all = exact_two_sum(shifted.high, z);
  const double rest = as::add(as::fused(exponent, log_of_2_low, node.rest), curve);
  return exact_two_sum(all.high, as::add(all.low, as::add(shifted.low, as::add(whole.low, rest))));
}

/// top + exp(-512) below.
ONEFOLD_HOST_DEVICE constexpr scaled_pair exact_sum_of_bands(const scaled_pair& top,
                                                             const scaled_pair& below) {
  using as = double_arithmetic;
  const double high = as::times(below.high, band_ratio);
  const double low =
      as::add(as::fused(below.high, band_ratio, -high),
              as::add(as::times(below.high, band_ratio_rest), as::times(below.low, band_ratio)));
  const scaled_pair both = exact_two_sum(top.high, high);
  return exact_two_sum(both.high, as::add(both.low, as::add(top.low, low)));
}

/// The exact sum of exponentials of elements of type T; of integers, T is std::int64_t.
template <class T>
class exponentials {
 public:
  static constexpr bool integral = std::is_integral_v<T>;
  using wide = std::conditional_t<integral || sizeof(T) == 8, double, float>;
  using sum_type = exponential_sum<wide>;

  /// Adds one element.
  ONEFOLD_HOST_DEVICE constexpr void add(T x) requires(!integral) {
    using format = float_format<T>;
    const auto bits = to_bits(x);
    const bool negative = (bits & format::sign_bit) != 0;
    if (exponent_field<T>(bits) == format::max_field) {
      const bool nan = is_nan<T>(bits);
      return sum_.note_elements(1, nan, !nan && !negative, !nan && negative, 0);
    }
    if constexpr (std::is_same_v<T, wide>)
      add_finite(x);
    else
      add_finite(nearest_of<wide>(std::uint64_t(significand<T>(bits)),
                                  format::lsb + unit_shift<T>(bits), negative));
  }
  template <integer_element X>
  ONEFOLD_HOST_DEVICE constexpr void add(X x) requires(integral) {
    const bool negative = x < X(0);
    const auto magnitude = negative ? std::uint64_t(0) - std::uint64_t(x) : std::uint64_t(x);
    add_finite(nearest_of<double>(magnitude, 0, negative));
  }
  /// An argument that T may not hold: convert it where the rounding is meant.
  template <class X>
  requires(!integral && narrows_to<X, T>) void add(X x) = delete;

  /// Adds the elements of another sum.
  ONEFOLD_HOST_DEVICE constexpr void merge(const exponentials& other) { sum_.merge(other.sum_); }

  /// Removes elements that were added before. Returns false if there are no such elements, or if
  /// nothing near the largest one would be left, while others were added that are less by 512 or
  /// more: the sum is then undefined.
  constexpr bool subtract(const exponentials& other) {
    return sum_.subtract(other.sum_) && !sum_.unknown();
  }

  /// The logarithm of the sum in format Out, rounded once; as logsumexp. Any NaN gives NaN.
  template <class Out = std::conditional_t<integral, double, T>>
  ONEFOLD_HOST_DEVICE constexpr Out value() const {
    using format = float_format<Out>;
    if (sum_.nan_count() > 0) return canonical_nan<Out>();
    if (sum_.infinity_count() > 0) return from_bits<Out>(format::infinity);
    if (sum_.empty()) return with_sign<Out>(format::infinity, true);
    if (sum_.finite_count() > 1) return rounded<Out>(logarithm());
    const double one = double(sum_.only_element());
    if (to_bits(one) << 1 == 0) return from_bits<Out>(0);  // of -0, also where -0 + 0 is folded
    return rounded<Out>({one, 0, 0});
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return sum_.count(); }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t nan_count() const { return sum_.nan_count(); }
  /// The sum of the elements that are not NaN.
  ONEFOLD_HOST_DEVICE constexpr exponentials without_nans() const {
    exponentials left = *this;
    left.sum_.note_elements(-nan_count(), -nan_count(), 0, 0, 0);
    return left;
  }
  /// The band of the largest element, as additive_band(): to be combined by the maximum.
  ONEFOLD_HOST_DEVICE constexpr std::int64_t band() const { return sum_.band_key(); }

  static constexpr int words = sum_type::words;
  template <class F>
  constexpr void for_each_word(F&& f) const {
    sum_.for_each_word(f);
  }
  template <class F>
  static constexpr exponentials from_words(F&& next) {
    exponentials made;
    made.sum_ = sum_type::from_words(next);
    return made;
  }

  /// The additive form: onefold/detail/additive.hpp.
  static constexpr int additive_words = sum_type::additive_words;
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    sum_.write_additive(to);
  }
  /// Precondition: `band` is that of another sum, and not below this one's.
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t band, std::int64_t* to) const {
    sum_type raised = sum_;
    if (band != raised.band_key()) raised.raise(band_of_key(band));
    raised.write_additive(to);
  }
  /// Returns false, and leaves the sum unchanged, if groups of several bands were added, or nothing
  /// near the largest element is left.
  [[nodiscard]] ONEFOLD_HOST_DEVICE constexpr bool read_additive(std::int64_t groups,
                                                                 const std::int64_t* from) {
    if (!has_one_band(groups, from)) return false;
    sum_type read;
    read.read_additive(groups, from);
    if (read.unknown()) return false;
    sum_ = read;
    return true;
  }
  ONEFOLD_HOST_DEVICE static constexpr void negate_additive(std::int64_t* sum) {
    sum_type::negate_additive(sum);
  }

  friend constexpr bool operator==(const exponentials& a, const exponentials& b) {
    return a.sum_ == b.sum_;
  }

 private:
  ONEFOLD_HOST_DEVICE constexpr void add_finite(wide x) {
    sum_.note_elements(1, 0, 0, 0, to_bits(x));
    const auto [band, rest] = exact_band_of(x);
    if (sum_.empty() || band > sum_.band()) sum_.raise(band);
    if (band == sum_.band())
      sum_.top().add(exact_exponential(rest));
    else if (sum_.keeps_below() && band == sum_.band() - 1)
      sum_.below().add(exact_exponential(rest));
  }
  ONEFOLD_HOST_DEVICE constexpr scaled_pair logarithm() const {
    band_sum::storage in;
    const scaled_pair top = sum_.top().value(in);
    const scaled_pair sum =
        sum_.below().empty() ? top : exact_sum_of_bands(top, sum_.below().value(in));
    return exact_logarithm(sum, double_arithmetic::times(sum_.band(), band_width));
  }

  sum_type sum_;
};

template <class T>
struct additive_kind<exponentials<T>> {
  static constexpr std::int64_t signature = additive_signature(op::logsumexp, dtype_of<T>);
};

}  // namespace detail

/// The exact sum of exponentials of elements of type T: add(x), merge(other), and its logarithm,
/// value<Out>(), with the bits of logsumexp.
template <class T>
using exact_exponentials =
    typename detail::accumulator_of<T, detail::exponentials<T>,
                                    detail::exponentials<std::int64_t>>::type;

/// Writes the group of a sum in a band: the maximum of band() over the sums to add.
template <class T>
ONEFOLD_HOST_DEVICE constexpr void write_additive(const detail::exponentials<T>& from,
                                                  std::int64_t band, std::int64_t* words) {
  detail::write_additive_header(words, detail::additive_kind<detail::exponentials<T>>::signature);
  from.write_additive(band, words + detail::additive_header);
}

/// As read_additive of other accumulators; false also if the groups are of several bands, or if
/// nothing near the largest element is left.
template <class T>
[[nodiscard]] ONEFOLD_HOST_DEVICE constexpr bool read_additive(const std::int64_t* words,
                                                               detail::exponentials<T>& to) {
  using kind = detail::additive_kind<detail::exponentials<T>>;
  if (detail::read_additive_header(words) != kind::signature) return false;
  return to.read_additive(words[0], words + detail::additive_header);
}

}  // namespace onefold
