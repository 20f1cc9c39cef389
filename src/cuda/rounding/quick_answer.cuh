// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers without a division or a root: means and 2-norms in the type of the elements, and sums of
// integers that no double holds. Whatever is not decided here is left to write_answer, out of line.
//
// A mean is bounded by products with fl(1 / n), 1 <= n < 2^31: fl(x fl(1/n)) differs from x / n by
// less than 2^-52 (1 + 2^-53) of it where it is normal, so 2^-50 wider, rounded, there is a bound;
// where n is a power of two, the product is the quotient. Means of a few elements are often ties:
// where x / n is a double, mean_up has exactly it.

#include "cuda/rounding/plain_answer.cuh"

namespace onefold::cuda {

template <class T>
using bits_of_answer = typename detail::float_format<T>::bits;

/// What both ends round to, and whether they agree and their value is of the usual kind: finite, no
/// zero, whose sign matters, and of floats no subnormal one.
template <class T>
ONEFOLD_DEVICE bool bits_of_ends(double u, double d, bits_of_answer<T>& above) {
  const auto below = rounded_bits<T>(d);
  above = rounded_bits<T>(u);
  if constexpr (std::is_same_v<T, float>)
    return above == below && 2 * above - 0x01000000u < 0xFE000000u;
  else
    return above == below && u != 0 && u - u == 0;
}

/// At or above x / n, and x / n where a double is. q = fl(x fl(1/n)) leaves t = x - q n exactly: a
/// multiple of an ulp of q, at most 2^32 of them. q + t fl(1/n) differs from x / n by less than
/// 2^-103 of it, so that it rounds to x / n if that is a double, and then leaves nothing.
/// Precondition: x is 0 or a multiple of 2^-298, or not finite; 1 <= n < 2^31.
ONEFOLD_DEVICE double mean_up(double x, double n, const quotient_bounds& by) {
  const double q = x * by.reciprocal;
  if (by.slack == 0) return q;
  const double quotient = fma(fma(-q, n, x), by.reciprocal, q);
  return fma(-quotient, n, x) == 0 ? quotient : fma(fabs(q), by.slack, q);
}
template <class T, class Rounding, class Number>
ONEFOLD_DEVICE bool bits_of_mean(const interval_sum_of<Rounding, Number>& sum, std::int64_t n,
                                 const quotient_bounds& by, bits_of_answer<T>& made) {
  return bits_of_ends<T>(mean_up(sum.u, double(n), by), -mean_up(sum.minus_d, double(n), by), made);
}

/// q = fl(s fl(1/n)) leaves t = s - q n exactly: a multiple of an ulp of q, at most 2^32 of them.
/// Precondition: s is 0, or at least 2^-900.
ONEFOLD_DEVICE bool bits_of_quotient(const pair_sum& sum, std::int64_t n, const quotient_bounds& by,
                                     std::uint64_t& made) {
  const double q = sum.s * by.reciprocal, t = fma(-q, double(n), sum.s);
  const double hi = quotient_up(__dadd_ru(t, sum.u), by);
  const double nlo = quotient_up(__dadd_ru(-t, sum.minus_d), by);
  const double above = q + hi, below = q - nlo;
  made = detail::to_bits(above);
  return above == below && above - above == 0;
}
template <class T>
ONEFOLD_DEVICE bool bits_of_mean(const pair_sum& sum, std::int64_t n, const quotient_bounds& by,
                                 std::uint64_t& made) {
  return bits_of_quotient(sum, n, by, made) && fabs(sum.s) > 0x1p-900;
}

/// An integer below 2^96 as three doubles: their errors are one.
ONEFOLD_DEVICE pair_sum pair_of(double high, double middle, double low) {
  pair_sum pair;
  pair.begin(high, middle);
  pair.add(low);
  return pair;
}
ONEFOLD_DEVICE pair_sum pair_of(const counter_sum<1>& sum) {
  pair_sum pair;
  pair.begin(double(std::int32_t(sum.counts[0] >> 32)) * 0x1p32,
             double(std::uint32_t(sum.counts[0])));
  return pair;
}
ONEFOLD_DEVICE pair_sum pair_of(const counter_sum<2>& sum) {
  const std::uint64_t upper = std::uint64_t(sum.counts[1]) << 32;
  const std::uint64_t low = std::uint64_t(sum.counts[0]) + upper;
  const std::int64_t high = (sum.counts[1] >> 32) + (low < upper);
  return pair_of(double(high) * 0x1p64, double(std::uint32_t(low >> 32)) * 0x1p32,
                 double(std::uint32_t(low)));
}

/// The root of an interval of sums of squares. Theorem: with Y about 1 / sqrt(u), R = fl(u Y) and
/// t = u - R^2, |t| <= 2^-20 u, R + t Y / 2 is sqrt(u) but for less than 2^-41 of it, whatever Y
/// is; and sqrt(d) is at most (u - d) Y (1 + 2^-19) below.
template <class T, class Rounding>
ONEFOLD_DEVICE bool bits_of_root(const interval_sum_of<Rounding>& sum, bits_of_answer<T>& made) {
  const double y = double(rsqrtf(__double2float_rn(sum.u))), r = sum.u * y;
  const double t = fma(-r, r, sum.u), root = fma(0.5 * t, y, r);
  const double width = Rounding::add(sum.u, sum.minus_d);
  const double wide = fma(width, y, root * 0x1p-40);
  const bool bounded = fabs(t) <= 0x1p-20 * sum.u;
  return bits_of_ends<T>(fma(root, 0x1p-40, root), root - wide, made) && bounded;
}

/// Whether one of these may decide answers of this form.
template <class Terms>
ONEFOLD_DEVICE bool is_quick(const answer_form& form) {
  using T = typename Terms::element;
  if (form.n == 0) return false;
  if constexpr (requires { detail::float_format<T>::precision; })
    return form.output == dtype_of<T> &&
           form.which == (Terms::squares && !std::is_same_v<T, double> ? answer_form::kind::root
                                                                       : answer_form::kind::mean);
  else
    return form.output == dtype::f64;
}

/// write_answer where it is seldom called.
template <class Sum>
ONEFOLD_COLD bool write_slowly(Sum sum, answer_form form, void* out, std::int64_t k) {
  return write_answer(sum, form, out, k);
}

/// The bits of an answer to floats, and whether it is decided. Precondition: is_quick.
template <class Terms, class Sum>
ONEFOLD_DEVICE bool quick_bits(const Sum& sum, const answer_form& form, const quotient_bounds& by,
                               bits_of_answer<typename Terms::element>& made) {
  using T = typename Terms::element;
  if constexpr (Terms::squares && !std::is_same_v<T, double>)
    return bits_of_root<T>(sum, made);
  else
    return bits_of_mean<T>(sum, form.n, by, made);
}

/// Precondition: is_quick.
template <class Terms, class Sum>
ONEFOLD_DEVICE bool write_quickly(const Sum& sum, const answer_form& form,
                                  const quotient_bounds& by, void* out, std::int64_t k) {
  using T = typename Terms::element;
  bits_of_answer<T> made;
  const bool certified = quick_bits<Terms>(sum, form, by, made);
  write_bits<T>(out, k, made);
  return certified;
}
template <class Terms, int Counters>
ONEFOLD_DEVICE bool write_quickly(const counter_sum<Counters>& sum, const answer_form& form,
                                  const quotient_bounds& by, void* out, std::int64_t k) {
  const pair_sum pair = pair_of(sum);
  std::uint64_t made = detail::to_bits(pair.s + pair.u);
  const bool is_mean = form.which == answer_form::kind::mean;
  const bool certified = !is_mean || bits_of_quotient(pair, form.n, by, made);
  write_bits<double>(out, k, made);
  return certified;
}

}  // namespace onefold::cuda
