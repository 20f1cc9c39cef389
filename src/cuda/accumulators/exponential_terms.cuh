// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials whose elements can be read again, and the logarithms that they certify.
//
// The elements of an answer are x, and b is the band of one of them, with the middle m = 512 b. A
// lane adds E(d) of each distance d = x - m, as far as exponential_reach: of elements of band b the
// terms that are specified, of higher ones at least E(256) > 2^369, of lower ones at most E(-256) <
// 2^-369. So if the sum S is below 2^369, b is the highest band. The specified sum has lower terms
// that are less than E(-256) in these units, too, or none: it differs by less than n 2^-369 from
// that of what was added.
//
// Plain: of positive terms, m additions of doubles one after another err by less than
// (m + 1) 2^-53 of the sum. Above 2^-300 lower bands add n 2^-69 of it.
//
// Double words: two_sum is exact, and the errors are summed up with errors of their own, less than
// (m + 4)^2 2^-106 of the sum. Where an element is below the band, the sum has to be above 2^-150,
// and n 2^-219 of it is what lower bands add.
//
// Anchored: of elements within reach of 0 whose sum is between 1/2 and 2, as of probabilities. A
// part of each, a multiple of 2^-50, is added exactly; the rests are below 2^-51 each, and m
// additions of them err by less than m^2 2^-104.
//
// A single finite element is its own logarithm: E errs, so that of one near zero, or of f64, would
// be another number, and where the answer has another type, the element may be a tie of it. Double
// words count the finite elements. Of plain sums all are finite, if they are `near` ones; else
// logarithms below 2^-4 are not certified, nor are other types: farther out, a narrow float's
// neighbours are more than 2^-29 away, and log E(x) is within 2^-29.7 of x.

#include "cuda/accumulators/interval.cuh"
#include "cuda/primitives/exponential.cuh"
#include "cuda/rounding/answer.cuh"
#include "cuda/rounding/epilogue.cuh"
#include "cuda/rounding/quick_moments.cuh"

namespace onefold::cuda {

/// The sum of a lane's terms.
struct plain_exponentials {
  static constexpr int parts = 1;
  double sum = 0;

  /// Of nothing yet.
  template <class Wide>
  ONEFOLD_DEVICE void begin(double term, Wide) {
    sum = term;
  }
  template <class Wide>
  ONEFOLD_DEVICE void add(double term, Wide) {
    sum += term;
  }
  ONEFOLD_DEVICE void join(const plain_exponentials& other) { sum += other.sum; }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(sum);
  }
};

/// The same as double words; how many elements are finite, and whether one lies below the band.
struct double_exponentials {
  static constexpr int parts = 3;
  double sum = 0, rest = 0;
  std::int32_t finite = 0;  ///< or more than some
  std::int32_t below = 0;   ///< 0: none

  /// Of nothing yet.
  template <class Wide>
  ONEFOLD_DEVICE void begin(double term, Wide d) {
    sum = term;
    note(d);
  }
  template <class Wide>
  ONEFOLD_DEVICE void add(double term, Wide d) {
    rest += two_sum(sum, term);
    note(d);
  }
  ONEFOLD_DEVICE void join(const double_exponentials& other) {
    const double error = two_sum(sum, other.sum);
    rest += error + other.rest;
    finite = min(finite, some) + min(other.finite, some);
    below |= other.below;
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    auto counts = std::int64_t(std::uint64_t(std::uint32_t(below)) << 32 | std::uint32_t(finite));
    f(sum), f(rest), f(counts);
    finite = std::int32_t(counts), below = std::int32_t(counts >> 32);
  }

 private:
  static constexpr std::int32_t some = 1 << 20;

  template <class Wide>
  ONEFOLD_DEVICE void note(Wide d) {
    finite += fabs(d) < Wide(INFINITY);
    below |= d <= -detail::band_width / 2;  // -Inf too; odd bands end above, at ties to even
  }
};

/// The same of terms whose sum is below 2: all that is added to `high` is a multiple of 2^-50, and
/// the rest of each term, which is exact, is added apart.
struct anchored_exponentials {
  static constexpr int parts = 2;
  static constexpr double start = 6;  // it stays below 8
  double high = start, rest = 0;

  template <class Wide>
  ONEFOLD_DEVICE void add(double term, Wide) {
    const double before = high;
    high += term;
    rest += term - (high - before);
  }
  ONEFOLD_DEVICE void join(const anchored_exponentials& other) {
    high += other.high - start;
    rest += other.rest;
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(high), f(rest);
  }
};

/// Which elements a lane takes.
enum class exponential_reach_of : unsigned char {
  any,   ///< about the band of the first one, those that are far as if they were less so
  near,  ///< within reach of 0; where there are others, or NaNs, the sum is NaN
};

/// What a lane adds of the elements of an answer.
template <class T, class Sums, exponential_reach_of Reach = exponential_reach_of::any>
class exponential_lane {
 public:
  using bits = typename detail::float_format<T>::bits;
  using wide = std::conditional_t<sizeof(T) == 8, double, float>;
  static constexpr bool near = Reach == exponential_reach_of::near;

  /// Of an answer that an element with these bits is of.
  ONEFOLD_DEVICE explicit exponential_lane(bits x)
      : middle_or_farthest_(near ? wide(0) : band_middle(wide(number_of<T>(x)))) {}
  ONEFOLD_DEVICE exponential_lane() requires near : middle_or_farthest_(0) {}

  static constexpr int parts = Sums::parts;
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    sums_.for_each_part(f);
  }

  ONEFOLD_DEVICE exponential_lane none() const {
    exponential_lane made = *this;
    made.sums_ = {};
    return made;
  }
  ONEFOLD_DEVICE void add(bits x) {
    const wide d = distance(x);
    sums_.add(exponential_of(near ? d : within_reach(d)), d);
  }
  /// The elements of a vector have sums of their own: fewer additions are one after another.
  ONEFOLD_DEVICE void add_vector(const vector_of<T>& x) {
    if constexpr (requires(Sums some) { some.begin(0.0, wide(0)); }) {
      Sums some;
      bool begun = false;  // known at compile time
      for_each_item<T>(x, x, [&](auto own, auto) {
        const wide d = distance(own);
        const double term = exponential_of(near ? d : within_reach(d));
        begun ? some.add(term, d) : some.begin(term, d);
        begun = true;
      });
      sums_.join(some);
    } else {
      for_each_item<T>(x, x, [&](auto own, auto) { add(own); });
    }
  }
  ONEFOLD_DEVICE void join(const exponential_lane& other) {
    sums_.join(other.sums_);
    if constexpr (near)
      middle_or_farthest_ = greater_or_nan(middle_or_farthest_, other.middle_or_farthest_);
  }
  /// The sums of all lanes of a row, in each of them.
  ONEFOLD_DEVICE void fold(int lanes) {
    end();
    join_group(sums_, unsigned(lanes));
  }
  /// After the last element of a lane that is not folded.
  ONEFOLD_DEVICE void end() {
    if constexpr (near)
      if (!(middle_or_farthest_ < exponential_reach)) sums_.add(NAN, wide(0));
  }

  ONEFOLD_DEVICE const Sums& sums() const { return sums_; }
  ONEFOLD_DEVICE double middle() const { return near ? 0 : double(middle_or_farthest_); }

 private:
  ONEFOLD_DEVICE wide distance(bits x) {
    const wide own = number_of<T>(x);
    if constexpr (near) {
      middle_or_farthest_ = greater_or_nan(middle_or_farthest_, fabsf(own));
      return own;
    } else {
      return own - middle_or_farthest_;
    }
  }

  wide middle_or_farthest_;
  Sums sums_;
};

/// What the answers of a request have in common.
class exponential_answers {
 public:
  /// n: elements of an answer. m: additions one after another, at most.
  ONEFOLD_HOST_DEVICE exponential_answers(std::int64_t n, double m)
      : has_several_(n > 1), plain_error_((m + 8) * 0x1p-53 + double(n) * 0x1p-69 + 0x1p-43),
        double_error_((m + 5) * (m + 5) * 0x1p-106 + double(n) * 0x1p-219 + log_error) {}

  /// The bits of the logarithm in format T; whether they are certified.
  /// near: the elements are all finite.
  template <class T>
  ONEFOLD_DEVICE bool round(const plain_exponentials& sums, double middle,
                            typename detail::float_format<T>::bits& made, bool near = false) const {
    static_assert(sizeof(T) < 8);
    const log_ends ends = ends_of(sums, middle, near);
    made = nearest<T>(ends.high);
    return ends.known && made == nearest<T>(ends.low);
  }
  template <class T>
  ONEFOLD_DEVICE bool round(const anchored_exponentials& anchored, double,
                            typename detail::float_format<T>::bits& made, bool) const {
    static_assert(sizeof(T) < 8);
    if (!has_several_ ||
        !(anchored.high > anchored.start + 0.5 && anchored.high < anchored.start + 2))
      return false;
    const detail::scaled_pair sum = detail::two_sum(anchored.high - anchored.start, anchored.rest);
    const detail::scaled_pair value = detail::logarithm_of(sum, 0, tables().nodes);
    // rest errs by less than m^2 2^-104, which is at most twice as much of the sum.
    const double error =
        fma(fabs(value.high), 0x1p-98, fma(8.0, double_error_ - log_error, log_error));
    made = nearest<T>(__dadd_ru(value.high, __dadd_ru(value.low, error)));
    return made == nearest<T>(__dadd_rd(value.high, __dadd_rd(value.low, -error)));
  }
  template <class T>
  ONEFOLD_DEVICE bool round(const double_exponentials& sums, double middle,
                            typename detail::float_format<T>::bits& made, bool = false) const {
    const double_log value = logarithm_of(sums, middle);
    if constexpr (sizeof(T) == 8) {
      return ends_meet(value.high, value.above, value.below, made) && value.known;
    } else {
      made = nearest<T>(__dadd_ru(value.high, value.above));
      return value.known && made == nearest<T>(__dadd_rd(value.high, -value.below));
    }
  }

  /// Whether all that is asked of answer k is certified, and then written by the lane that
  /// `writes`.
  /// Plain sums certify answers in the elements' type, `input`, alone.
  ONEFOLD_COLD bool write(plain_exponentials sums, double middle, dtype input,
                          const finish_list& list, std::int64_t k, bool writes) const {
    if (sums.sum != sums.sum) return write_nan(list, k, writes);
    const log_ends ends = ends_of(sums, middle);
    bool certified = ends.known;
    ONEFOLD_ROLLED
    for (int i = 0; certified && i < list.size; ++i) {
      const finish_item& item = list.answers[i];
      certified =
          item.type == input && quick_moments::write_ends(ends.low, ends.high, item, k, writes);
    }
    return certified;
  }
  ONEFOLD_COLD bool write(double_exponentials sums, double middle, dtype, const finish_list& list,
                          std::int64_t k, bool writes) const {
    if (sums.sum != sums.sum) return write_nan(list, k, writes);
    const double_log value = logarithm_of(sums, middle);
    bool certified = value.known;
    ONEFOLD_ROLLED
    for (int i = 0; certified && i < list.size; ++i) {
      const finish_item& item = list.answers[i];
      if (item.type == dtype::f64) {
        std::uint64_t bits;
        certified = ends_meet(value.high, value.above, value.below, bits);
        if (certified && writes) write_bits<double>(item.to, k, bits);
      } else {
        certified = quick_moments::write_ends(__dadd_rd(value.high, -value.below),
                                              __dadd_ru(value.high, value.above), item, k, writes);
      }
    }
    return certified;
  }

 private:
  struct log_ends {
    double low, high;
    bool known;
  };
  struct double_log {
    double high, above, below;  ///< between high - below and high + above
    bool known;
  };

  ONEFOLD_DEVICE log_ends ends_of(const plain_exponentials& sums, double middle,
                                  bool near = false) const {
    const double value = detail::short_logarithm(sums.sum, tables().nodes) + middle;
    const double reach = fma(fabs(value), 0x1p-51, plain_error_);
    const bool known =
        sums.sum > 0x1p-300 && sums.sum < 0x1p369 && (near ? has_several_ : fabs(value) >= 0x1p-4);
    return {value - reach, value + reach, known};
  }
  ONEFOLD_DEVICE double_log logarithm_of(const double_exponentials& sums, double middle) const {
    const double least = sums.below != 0 ? 0x1p-150 : 0x1p-370;
    const bool known = sums.sum > least && sums.sum < 0x1p369 && sums.finite > 1;
    const detail::scaled_pair sum = detail::two_sum(sums.sum, sums.rest);
    const detail::scaled_pair value = detail::logarithm_of(sum, middle, tables().nodes);
    const double error = fma(fabs(value.high), 0x1p-98, double_error_);
    return {value.high, __dadd_ru(value.low, error), __dadd_ru(-value.low, error), known};
  }
  template <class T>
  ONEFOLD_DEVICE static typename detail::float_format<T>::bits nearest(double x) {
    if constexpr (std::is_same_v<T, float>)
      return __float_as_uint(__double2float_rn(x));
    else
      return rounded_bits<T>(x);
  }
  ONEFOLD_DEVICE static bool write_nan(const finish_list& list, std::int64_t k, bool writes) {
    if (list.nan != nan_policy::propagate) return false;
    ONEFOLD_ROLLED
    for (int i = 0; writes && i < list.size; ++i) {
      const finish_item& item = list.answers[i];
      if (item.type == dtype::f64)
        write_bits<double>(item.to, k, detail::float_format<double>::quiet_nan);
      else
        quick_moments::write_ends(NAN, NAN, item, k, true);
    }
    return true;
  }

  static constexpr double log_error = 0x1.1p-61;

  bool has_several_;
  double plain_error_, double_error_;
};

}  // namespace onefold::cuda
