// SPDX-License-Identifier: Apache-2.0
#pragma once
// The logarithms that sums of exponentials (accumulators/exponential_terms.cuh) certify.
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

#include "cuda/accumulators/exponential_terms.cuh"
#include "cuda/rounding/answer.cuh"
#include "cuda/rounding/epilogue.cuh"
#include "cuda/rounding/quick_moments.cuh"

namespace onefold::cuda {

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
