// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances, deviations, means and sums of rows and columns of narrow floats, where an interval of
// doubles decides how they round.
//
// Let k be the first element of a row or column, e = x - k for each of the n elements, A = sum e, B
// = sum e^2, u = 2^-53. Elements are doubles, and multiples of 2^-149: nothing below underflows. d
// = fl(e) = e (1 + t), |t| <= u. At most m < 2^30 additions are one after another: the readers say
// how many. With g = (m + 3) u (1 + 2^-20), as no square is rounded before it is added (fma),
//   |S1 - A| <= g sum |e| <= g sqrt(n B),   |S2 - B| <= g B
// by Cauchy and Schwarz, which also bound A^2 by n B. The variance is Y = V / (n - c), V = B -
// A^2 / n. M = fl(S2 - fl(S1^2) fl(1 / n)), rounded once (fma), has
//   |M - V| <= (3 g + 4.2 u) B <= (3 (m + 3) (1 + 2^-18) + 5) u S2,
// and y = fl(M fl(1 / (n - c))) has |y - Y| <= e = (3.1 m + 17) u S2 / (n - c). Of the deviation
// the double is s = fl(sqrt(y)), and |s - sqrt(Y)| <= |y - Y| / sqrt(y) + u s <= (e + 2 u y) / s.
//
// Let x be y or s, at or above the least normal number of the output's type, T its truncation to
// that type, h the last bit of T, t = T + h / 2. If |x - t| > 2 r, all numbers up to r from x round
// as x: those beyond t end before T + 5 h / 4, those below t begin after T - h / 4, and the ties
// next to t are T + 3 h / 2 and T - h / 2, or T - h / 4 if T is a power of two. x - t is exact. An
// x below is moved up by the least normal number, whose neighbours are as far apart, and r by what
// that rounds, at most 2^-52 of that number. 2 e and 2 (e + 2 u y), with the roundings of the test,
// are less than
//   E = (7 m + 48) u S2 / (n - c).
// All elements equal make S2 = E = x = 0, which is the answer, +0.
//
// Of squares k = 0, S1 = 0 and n - c = 1, and V is B, the sum of x^2: the same bounds hold.
//
// Of two elements, and n - c a power of two: if d = e is exact and has 26 digits at most, its
// square is exact, and so is the variance, e^2 / (2 (n - c)), and the deviation s if s^2 is. Such
// answers are often ties, which no interval decides; they are rounded once. Elements of p digits
// have an exact difference if their exponents are 52 - p apart, at most.
//
// Sums and means have an interval (interval.cuh), as those of batched rows do: data of few digits
// have exact sums, and means that are ties.
// Inf or NaN makes S1 and S2 so, and M is NaN: so are variances, where NaNs count. Means are not
// certified then.

#include "cuda/primitives/warp.cuh"
#include "cuda/rounding/answer.cuh"
#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cuda {

/// Sums of the distances of a row's elements from its first one, and of the elements.
template <bool Means>
struct shifted_sums {
  static constexpr int parts = 2;
  double first, s1 = 0, s2 = 0;
  interval_sum all = {};

  /// Of the second element: nothing is added yet.
  ONEFOLD_DEVICE void begin(double x) {
    s1 = x - first;
    s2 = s1 * s1;
  }
  ONEFOLD_DEVICE void add(double x) {
    const double d = x - first;
    s1 += d;
    s2 = fma(d, d, s2);
    if constexpr (Means) all.add(x);
  }
  ONEFOLD_DEVICE void join(const shifted_sums& other) {
    s1 += other.s1;
    s2 += other.s2;
    if constexpr (Means) all.join(other.all);
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    static_assert(!Means);
    f(s1), f(s2);
  }
  /// Those of all lanes of a row, in each of them.
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2) {
      s1 += __shfl_xor_sync(whole_warp, s1, step);
      s2 += __shfl_xor_sync(whole_warp, s2, step);
      if constexpr (Means) all.join(sum_across(all, step));
    }
  }
};

/// Whether d, that of elements with the bits x and y, is exact and finite, and so is its square.
template <class T>
ONEFOLD_DEVICE bool is_short_distance(double d, typename detail::float_format<T>::bits x,
                                      typename detail::float_format<T>::bits y) {
  using format = detail::float_format<T>;
  constexpr int apart = 52 - format::precision;
  const std::uint64_t place = detail::to_bits(d);
  const bool few = (std::uint32_t(place) & ((1u << 27) - 1)) == 0;
  const bool finite = (std::uint32_t(place >> 32) & 0x7FF00000) != 0x7FF00000;
  if (2 * format::max_exponent <= apart) return few && finite;
  return few && finite && abs(detail::exponent_field<T>(x) - detail::exponent_field<T>(y)) <= apart;
}

/// What all answers of a request have in common.
class quick_moments {
 public:
  /// m: additions one after another, at most. Of squares: correction = n - 1.
  ONEFOLD_HOST_DEVICE quick_moments(std::int64_t n, std::int64_t correction, double m)
      : n_(double(n)), per_item_(1 / n_), per_freedom_(1 / (n_ - double(correction))),
        error_((7 * m + 48) * 0x1p-53 * per_freedom_),
        exact_factors_(is_power_of_two(n_) && is_power_of_two(n_ - double(correction))) {}

  /// Whether all that is asked of answer k is decided, and then written by the lane that `writes`.
  /// exact: of two elements, whose distance is_short_distance.
  template <bool Means>
  ONEFOLD_DEVICE bool write(const finish_list& finish, const shifted_sums<Means>& sums,
                            std::int64_t k, bool writes, bool exact = false) const {
    const bool finite = sums.s2 - sums.s2 == 0;
    const bool is_nan = !Means && !finite && finish.nan == nan_policy::propagate;
    bool certified = true;
    ONEFOLD_ROLLED
    for (int i = 0; certified && i < finish.size; ++i) {
      const finish_item& item = finish.answers[i];
      if (Means && item.op != op::var && item.op != op::stddev) {
        double low, high;
        mean_ends(sums.all, item.op == op::mean, low, high);
        certified = finite && write_ends(low, high, item, k, writes);
      } else if (is_nan) {
        write_ends(NAN, NAN, item, k, writes);
      } else {
        certified = write_one(item, sums, k, writes, exact);
      }
    }
    return certified;
  }
  /// The same of one answer each, of variances and deviations, or of squares and norms. Those have
  /// s1 = 0, and an infinity among their elements is not certified.
  ONEFOLD_DEVICE bool write_all(const finish_list& list, const shifted_sums<false>& sums,
                                bool squares) const {
    const bool finite = sums.s2 - sums.s2 == 0;
    bool certified = finite || !squares;
    ONEFOLD_ROLLED
    for (int i = 0; certified && i < list.size; ++i) {
      if (finite)
        certified = write_one(list.answers[i], sums, 0, true);
      else
        write_ends(NAN, NAN, list.answers[i], 0, true);
    }
    return certified;
  }
  /// The same of one variance or deviation, or square or norm.
  template <bool Means>
  ONEFOLD_DEVICE bool write_one(const finish_item& item, const shifted_sums<Means>& sums,
                                std::int64_t k, bool writes, bool exact = false) const {
    double x = variance_of(sums), scale = 1;
    if (item.op == op::stddev || item.op == op::norm2) {
      const double y = x;
      x = scale = __dsqrt_rn(y);
      exact = exact && fma(x, x, -y) == 0;
    }
    exact = exact && exact_factors_;
    const double error = error_ * sums.s2;
    void* const to = item.to;
    if (item.type == dtype::f32) return write_near<float>(x, scale, error, exact, to, k, writes);
    if (item.type == dtype::f16) return write_near<f16>(x, scale, error, exact, to, k, writes);
    return write_near<bf16>(x, scale, error, exact, to, k, writes);
  }

  /// The bits of one variance, or of one deviation; whether they are certified.
  template <class Out, bool Root>
  ONEFOLD_DEVICE bool round_one(const shifted_sums<false>& sums, bool exact,
                                typename detail::float_format<Out>::bits& made) const {
    const double y = variance_of(sums), x = Root ? __dsqrt_rn(y) : y;
    const bool certified = is_near<Out>(x, Root ? x : 1, error_ * sums.s2);
    made = bits_near<Out>(x);
    return certified || (exact && exact_factors_ && (!Root || fma(x, x, -y) == 0));
  }

  /// Whether both ends round to one value, and then written by the lane that `writes`.
  ONEFOLD_DEVICE static bool write_ends(double low, double high, const finish_item& item,
                                        std::int64_t k, bool writes) {
    if (item.type == dtype::f32) return write_as<float>(low, high, item.to, k, writes);
    if (item.type == dtype::f16) return write_as<f16>(low, high, item.to, k, writes);
    return write_as<bf16>(low, high, item.to, k, writes);
  }

 private:
  template <bool Means>
  ONEFOLD_DEVICE double variance_of(const shifted_sums<Means>& sums) const {
    return fma(-(sums.s1 * sums.s1), per_item_, sums.s2) * per_freedom_;
  }
  // Whether all numbers up to error / (2 scale) from x round as x.
  template <class Out>
  ONEFOLD_DEVICE static bool is_near(double x, double scale, double error) {
    using format = detail::float_format<Out>;
    constexpr std::uint64_t half = std::uint64_t(1) << (52 - format::precision);
    constexpr std::uint64_t least = std::uint64_t(1024 - format::max_exponent) << 52;
    std::uint64_t place = detail::to_bits(x);
    if (std::int32_t(place >> 32) < std::int32_t(least >> 32)) {
      const double above = detail::from_bits<double>(least);
      error = x < 0 ? 1 : error + scale * (above * 0x1p-51);
      place = detail::to_bits(x + above);
    }
    const double tie = detail::from_bits<double>((place & ~(2 * half - 1)) | half);
    return fabs(detail::from_bits<double>(place) - tie) * scale >= error;
  }
  // Precondition: no NaN.
  template <class Out>
  ONEFOLD_DEVICE static typename detail::float_format<Out>::bits bits_near(double x) {
    if constexpr (std::is_same_v<Out, float>)
      return __float_as_uint(__double2float_rn(x));
    else
      return rounded_bits<Out>(x);
  }
  template <class Out>
  ONEFOLD_DEVICE static bool write_near(double x, double scale, double error, bool exact, void* out,
                                        std::int64_t k, bool writes) {
    const bool certified = exact || is_near<Out>(x, scale, error);
    if (certified && writes) write_bits<Out>(out, k, bits_near<Out>(x));
    return certified;
  }
  ONEFOLD_DEVICE void mean_ends(const interval_sum& sum, bool is_mean, double& low,
                                double& high) const {
    high = is_mean ? __ddiv_ru(sum.u, n_) : sum.u;
    low = -(is_mean ? __ddiv_ru(sum.minus_d, n_) : sum.minus_d);
  }
  // Ends of zero that differ by sign alone: the upper one is right.
  template <class Out>
  ONEFOLD_DEVICE static bool write_as(double low, double high, void* out, std::int64_t k,
                                      bool writes) {
    const auto above = rounded_bits<Out>(high);
    if (above != rounded_bits<Out>(low) && low != high) return false;
    if (writes) write_bits<Out>(out, k, above);
    return true;
  }

  ONEFOLD_HOST_DEVICE static bool is_power_of_two(double x) {
    return detail::to_bits(x) << 12 == 0;
  }

  double n_, per_item_, per_freedom_, error_;
  bool exact_factors_;  ///< per_item_ and per_freedom_
};

}  // namespace onefold::cuda
