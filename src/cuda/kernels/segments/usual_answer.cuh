// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers of segments as most are: without divisions, and roots by one that is rounded to nearest.
// What is not decided here is left to write_with_care.

#include "cuda/rounding/quick_answer.cuh"

namespace onefold::cuda {

/// The root of a sum of squares, to f32. The midpoints next to it have 25 bits, so their squares
/// are doubles, and the whole interval has to be between those.
template <class Rounding>
ONEFOLD_DEVICE bool write_usual_root(const interval_sum_of<Rounding>& sum, void* out,
                                     std::int64_t k) {
  const double d = -sum.minus_d;
  if (!(d > 0x1p-240 && sum.u < 0x1p240)) return false;
  const float root = __double2float_rn(__dsqrt_rn(sum.u));
  constexpr std::uint64_t half = std::uint64_t(1) << 28;  // of a float's unit, in a double's bits
  const auto bits = __builtin_bit_cast(std::uint64_t, double(root));
  const auto above = __builtin_bit_cast(double, bits + half);
  const auto below = __builtin_bit_cast(double, bits - half);
  write_bits<float>(out, k, __float_as_uint(root));
  return below * below < d && sum.u < above * above;
}

/// The mean of a sum that is no zero: means of few elements often lie between two neighbours in T,
/// so where the sum is exact, whether its quotient is decides that.
template <class T, class Rounding>
ONEFOLD_DEVICE bool write_usual_mean(const interval_sum_of<Rounding>& sum, int n, void* out,
                                     std::int64_t k) {
  if (!(fabs(sum.u) > 0)) return false;
  const double count = n, reciprocal = 1.0 / count;
  double u = sum.u * reciprocal, minus_d = sum.minus_d * reciprocal;
  const double rest = fma(-u, count, sum.u), better = fma(rest, reciprocal, u);
  if (sum.u == -sum.minus_d && fma(-better, count, sum.u) == 0)
    u = better, minus_d = -better;
  else
    u = fma(fabs(u), 0x1p-50, u), minus_d = fma(fabs(minus_d), 0x1p-50, minus_d);
  if constexpr (!std::is_same_v<T, float>) return write_interval<T>(u, -minus_d, out, k);
  const float above = __double2float_rn(u), below = __double2float_rn(-minus_d);
  write_bits<float>(out, k, __float_as_uint(above));
  return above == below && above != 0;  // of zeros the sign would matter
}

/// What is asked for, where it is in the type of the elements.
enum class usual_form : int { sum, mean, root, other };

template <class T>
ONEFOLD_DEVICE usual_form usual_form_of(const answer_form& form) {
  using kind = answer_form::kind;
  if constexpr (requires { detail::float_format<T>::precision; }) {
    if (form.output == dtype_of<T>)
      return form.which == kind::sum    ? usual_form::sum
             : form.which == kind::mean ? usual_form::mean
                                        : usual_form::root;
  }
  return usual_form::other;
}

/// The mean or root of nothing.
template <class T>
ONEFOLD_DEVICE bool write_empty(usual_form form, void* out, std::int64_t k) {
  const bool is_mean = form == usual_form::mean;
  if (form != usual_form::other)
    write_bits<T>(out, k, is_mean ? detail::float_format<T>::quiet_nan : 0);
  return form != usual_form::other;
}

/// Whether answer k of n elements of type T is decided; then it is written.
template <class T, class Rounding>
ONEFOLD_DEVICE bool write_as_usual(interval_sum_of<Rounding> sum, usual_form form, int n, void* out,
                                   std::int64_t k) {
  if (form == usual_form::sum) {
    if (n == 0) sum.u = sum.minus_d = 0;
    return write_plain<T>(sum, answer_form{}, out, k);
  }
  if (n == 0) return write_empty<T>(form, out, k);
  if (form == usual_form::mean) return write_usual_mean<T>(sum, n, out, k);
  if constexpr (std::is_same_v<T, float>)
    return form == usual_form::root && write_usual_root(sum, out, k);
  return false;
}
template <class T>
ONEFOLD_DEVICE bool write_as_usual(const pair_sum& sum, usual_form form, int n, void* out,
                                   std::int64_t k) {
  using kind = answer_form::kind;
  if (form == usual_form::sum)
    return write_answer(sum, answer_form{kind::sum, dtype::f64, n}, out, k);
  if (form != usual_form::mean) return false;
  if (n == 0) return write_empty<T>(form, out, k);
  bits_of_answer<T> made;
  const bool certified = bits_of_mean<T>(sum, n, quotient_by(n), made);
  write_bits<T>(out, k, made);
  return certified;
}

// As calls, with scalars for arguments: what they use is not in the way of the loops.
inline ONEFOLD_COLD bool write_rarely(double u, double minus_d, answer_form::kind kind,
                                      dtype output, std::int64_t n, void* out, std::int64_t k) {
  interval_sum sum;
  sum.u = u, sum.minus_d = minus_d;
  return write_answer(sum, answer_form{kind, output, n}, out, k);
}
inline ONEFOLD_COLD bool write_rarely(double s, double u, double minus_d, answer_form::kind kind,
                                      std::int64_t n, void* out, std::int64_t k) {
  pair_sum sum;
  sum.s = s, sum.u = u, sum.minus_d = minus_d;
  return write_answer(sum, answer_form{kind, dtype::f64, n}, out, k);
}
template <class Rounding>
ONEFOLD_DEVICE bool write_with_care(const interval_sum_of<Rounding>& sum, const answer_form& form,
                                    void* out, std::int64_t k) {
  return write_rarely(sum.u, sum.minus_d, form.which, form.output, form.n, out, k);
}
ONEFOLD_DEVICE bool write_with_care(const pair_sum& sum, const answer_form& form, void* out,
                                    std::int64_t k) {
  return write_rarely(sum.s, sum.u, sum.minus_d, form.which, form.n, out, k);
}

}  // namespace onefold::cuda
