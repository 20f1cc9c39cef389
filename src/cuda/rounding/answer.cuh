// SPDX-License-Identifier: Apache-2.0
#pragma once
// From sums to answers in memory: each function says whether its answer is decided, and then the
// answer is written. docs/numerics/intervals.md has the theorems.

#include "cuda/accumulators/interval.cuh"
#include "cuda/primitives/load.cuh"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/integer_sum.hpp"

namespace onefold::cuda {

/// What is written of a sum of n terms.
struct answer_form {
  enum class kind : unsigned char { sum, mean, root };
  kind which;
  dtype output;
  std::int64_t n;
};

template <class Out>
ONEFOLD_DEVICE void write_bits(void* out, std::int64_t k,
                               typename detail::float_format<Out>::bits bits) {
  static_cast<typename detail::float_format<Out>::bits*>(out)[k] = bits;
}

/// A float to nearest in a format of at most 16 bits; NaNs become the canonical one.
template <class Out>
ONEFOLD_DEVICE typename detail::float_format<Out>::bits rounded_bits(float x) {
  using format = detail::float_format<Out>;
  if (x != x) return format::quiet_nan;
  const std::uint32_t bits = __float_as_uint(x);
  if constexpr (std::is_same_v<Out, f16>)
    return half_of_float(x);
  else
    return typename format::bits((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/// A double to nearest in a format of at most 24 digits; NaNs become the canonical one. By way of a
/// float rounded to odd, 24 >= P + 2.
template <class Out>
ONEFOLD_DEVICE typename detail::float_format<Out>::bits rounded_bits(double x) {
  using format = detail::float_format<Out>;
  if constexpr (std::is_same_v<Out, float>) {
    const std::uint32_t bits = __float_as_uint(__double2float_rn(x));
    return (bits & ~format::sign_bit) > format::infinity ? format::quiet_nan : bits;
  } else {
    const float cut = __double2float_rz(x);
    return rounded_bits<Out>(__uint_as_float(__float_as_uint(cut) | (double(cut) != x)));
  }
}

template <class Out>
ONEFOLD_DEVICE bool write_interval(double u, double d, void* out, std::int64_t k) {
  const auto above = rounded_bits<Out>(u), below = rounded_bits<Out>(d);
  write_bits<Out>(out, k, above);
  if (above == below) return true;
  return u == d;
}

template <class Rounding>
ONEFOLD_DEVICE bool write_answer(interval_sum_of<Rounding> sum, const answer_form& form, void* out,
                                 std::int64_t k) {
  if (form.n == 0) sum.u = sum.minus_d = 0;
  if (form.which == answer_form::kind::mean) {
    sum.u = __ddiv_ru(sum.u, double(form.n));
    sum.minus_d = __ddiv_ru(sum.minus_d, double(form.n));
  }
  double d = -sum.minus_d;
  if (form.which == answer_form::kind::root) {
    sum.u = __dsqrt_ru(sum.u);
    d = __dsqrt_rd(d);  // rounded downward, a sum of squares is not below zero either
  }
  if (form.output == dtype::f32) return write_interval<float>(sum.u, d, out, k);
  if (form.output == dtype::f16) return write_interval<f16>(sum.u, d, out, k);
  return write_interval<bf16>(sum.u, d, out, k);
}

template <class Rounding>
ONEFOLD_DEVICE bool write_answer(const interval_sum_of<Rounding, float>& sum,
                                 const answer_form& form, void* out, std::int64_t k) {
  return write_answer(interval_sum_of<Rounding>{sum.u, sum.minus_d}, form, out, k);
}

/// h + hi and h - nlo, both rounded to nearest, are the answer if they are the same number. What is
/// -0 stays so.
ONEFOLD_DEVICE bool ends_meet(double h, double hi, double nlo, std::uint64_t& bits) {
  const double above = hi == 0 ? h : h + hi, below = nlo == 0 ? h : h - nlo;
  bits = detail::to_bits(above);
  return above == below && above - above == 0;
}

/// fl(1 / n), and by which part of it a quotient's bounds are wider.
struct quotient_bounds {
  double reciprocal = 0, slack = 0;
};
ONEFOLD_HOST_DEVICE constexpr quotient_bounds quotient_by(std::int64_t n) {
  if (n <= 0) return {};
  return {1 / double(n), (n & (n - 1)) == 0 ? 0 : 0x1p-50};
}

/// At or above x / n. Precondition: x is finite; 0, or the quotient is normal or its size does not
/// matter.
ONEFOLD_DEVICE double quotient_up(double x, const quotient_bounds& by) {
  const double q = x * by.reciprocal;
  return fma(fabs(q), by.slack, q);
}

/// The root of a sum of squares s + c, -minus_d <= c <= u. R = RN(sqrt(s)) leaves t = s - R^2
/// exactly; with d = (t + c) / R^2, R sqrt(1 + d) is at most R (1 + d / 2), and, by less than
/// 2^-100 R where |d| < 2^-50, at least that. Ends that are NaN where this is not known.
ONEFOLD_DEVICE pair_sum root_of(const pair_sum& sum) {
  if (sum.s == 0 && sum.u == 0 && sum.minus_d == 0) return sum;
  const double r = __dsqrt_rn(sum.s), t = fma(-r, r, sum.s), most = 0x1p-51 * sum.s;
  const quotient_bounds by = {0.5 / r, 0x1p-50};
  pair_sum root;
  root.s = r;
  root.u = __dadd_ru(quotient_up(__dadd_ru(t, sum.u), by), r * 0x1p-100);
  root.minus_d = __dadd_ru(quotient_up(__dadd_ru(-t, sum.minus_d), by), r * 0x1p-100);
  const bool known = sum.s >= 0x1p-900 && sum.u <= most && sum.minus_d <= most;
  if (!known) root.u = root.minus_d = __longlong_as_double(0x7FF8000000000000);
  return root;
}

/// To f64. The mean: q = fl(s / n) leaves the remainder t = s - q n, exactly where s is not tiny.
ONEFOLD_DEVICE bool write_answer(const pair_sum& sum, const answer_form& form, void* out,
                                 std::int64_t k) {
  const bool is_mean = form.which == answer_form::kind::mean;
  double h = sum.s, hi = sum.u, nlo = sum.minus_d;
  if (form.n == 0) h = is_mean ? __longlong_as_double(0x7FF8000000000000) : 0;
  if (is_mean && form.n > 0) {
    const double n = double(form.n), q = h / n;
    double t = fma(-q, n, h);
    if (fabs(h) < 0x1p-900 && h != 0) t = __longlong_as_double(0x7FF8000000000000);
    h = q, hi = __ddiv_ru(__dadd_ru(t, hi), n), nlo = __ddiv_ru(__dadd_ru(-t, nlo), n);
  }
  if (form.which == answer_form::kind::root && form.n > 0) {
    const pair_sum root = root_of(sum);
    h = root.s, hi = root.u, nlo = root.minus_d;
  }
  std::uint64_t bits;
  const bool certified = ends_meet(h, hi, nlo, bits);
  write_bits<double>(out, k, bits);
  return certified || form.n == 0;
}

/// Out of line: a division of wide integers, where one of doubles might round twice.
template <class Out>
ONEFOLD_COLD Out long_answer(std::uint64_t low, std::int64_t high, std::int64_t n, bool is_mean) {
  detail::integer_sum sum;
  sum.deposit(low, high);
  sum.note_elements(n);
  return is_mean ? sum.mean<Out>() : sum.value<Out>();
}

/// Integers: always decided. An integer output takes the low bits.
template <int Counters>
ONEFOLD_DEVICE bool write_answer(const counter_sum<Counters>& sum, const answer_form& form,
                                 void* out, std::int64_t k) {
  static_assert(Counters <= 2);
  std::uint64_t low = std::uint64_t(sum.counts[0]);
  std::int64_t high = 0;
  if constexpr (Counters == 2) {
    const std::uint64_t upper = std::uint64_t(sum.counts[1]) << 32;
    low += upper;
    high = (sum.counts[1] >> 32) + (low < upper);
  } else {
    high = sum.counts[0] >> 63;
  }
  if (form.output == dtype::i64 || form.output == dtype::u64) {
    static_cast<std::uint64_t*>(out)[k] = low;
    return true;
  }
  const bool is_mean = form.which == answer_form::kind::mean;
  const bool is_double =
      high == std::int64_t(low) >> 63 && low + (std::uint64_t(1) << 53) <= std::uint64_t(1) << 54;
  double result;
  if (is_double && form.n > 0)
    result = is_mean ? double(std::int64_t(low)) / double(form.n) : double(std::int64_t(low));
  else
    result = long_answer<double>(low, high, form.n, is_mean);
  write_bits<double>(out, k, detail::to_bits(result));
  return true;
}

}  // namespace onefold::cuda
