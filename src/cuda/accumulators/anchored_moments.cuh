// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of doubles and of their squares, of some elements' distances d = x - k from a shift k, by
// four operations of float64 each. docs/numerics/moments.md has the theorems.
//
// An anchored sum begins at M, a power of two above all that it meets, which is subtracted in the
// end. While |d| <= |A|, t = fl(A + d), t - A and d - (t - A) are exact but for t (Dekker's
// Fast2Sum), and what t lost is added to a double of its own. Of squares t = fl(B + d^2) is rounded
// once (fma), and what it lost is d^2 - (t - B), rounded. No error is computed: what the sums of
// lost parts may have lost is at most (m + 2)^2 2^-106 M, or B, of m terms.
//
// M is that of the largest |d| so far, with room for larger ones; one that is beyond ends the sums,
// and others begin with a larger M.
//
// d is exact if k = 0, or if |d| <= |k| / 2: then x and k are at most a factor of two apart, and of
// one sign (Sterbenz).

#include "cuda/accumulators/double_word_moments.cuh"
#include "cuda/primitives/load.cuh"
#include "onefold/detail/float_format.hpp"

namespace onefold::cuda {

/// What the proof asks for; tests ask for less.
struct anchored_proof {
  static constexpr bool bounds_distances = true, bounds_terms = true, bounds_errors = true;
  static constexpr int log2_most_terms = 9;  ///< of sums in progress
  static constexpr int log2_margin = 2;      ///< how much larger than the first ones all may be
};

/// What a lane adds. The elements are one answer's, whose first element it knows.
template <class Proof = anchored_proof>
class anchored_moments {
 public:
  /// near: whether the other elements are likely to be near the first one, which is then the shift.
  ONEFOLD_DEVICE explicit anchored_moments(std::uint64_t first, bool near)
      : first_(first), shift_(near ? detail::from_bits<double>(first) : 0) {}

  /// Whether two elements agree in so many bits.
  template <int Bits>
  ONEFOLD_DEVICE static bool are_near(std::uint64_t first, std::uint64_t other) {
    constexpr std::uint32_t words = one_binade >> Bits;
    return high(other) - high(first) + words <= 2 * words;
  }

  /// No element yet, of the same answer.
  ONEFOLD_DEVICE anchored_moments none() const { return {first_, shift_}; }

  template <int Count>
  ONEFOLD_DEVICE void add(const std::uint64_t (&x)[Count]) {
    double d[Count];
    std::uint32_t most = 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < Count; ++i) {
      d[i] = detail::from_bits<double>(x[i]) - shift_;
      most = max(most, high(detail::to_bits(d[i])) & 0x7FFFFFFF);
      differing_ |= std::uint32_t(x[i] ^ first_) | high(x[i] ^ first_);
    }
    if (most > limit_ || count_ > most_terms - Count) anchor(most);
    count_ += Count;
    ONEFOLD_UNROLL
    for (int i = 0; i < Count; ++i) take(d[i]);
  }
  ONEFOLD_DEVICE void add(std::uint64_t x) {
    const std::uint64_t one[] = {x};
    add(one);
  }
  /// After end of both.
  ONEFOLD_DEVICE void join(const anchored_moments& other) {
    sums_.join(other.sums_);
    differing_ |= other.differing_;
  }
  /// The same of the lane whose number differs by `mask`. Every lane of the warp calls it.
  ONEFOLD_DEVICE void join_across(int mask) {
    sums_.join(sum_across(sums_, mask));
    differing_ |= __shfl_xor_sync(whole_warp, differing_, mask);
  }
  /// After end, and of other lanes.
  static constexpr int parts = double_word_moments::parts + 1;
  ONEFOLD_DEVICE void write(std::int64_t* to) const {
    write_sum(sums_, to, 1);
    to[parts - 1] = differing_;
  }
  ONEFOLD_DEVICE void read(const std::int64_t* from) {
    sums_ = read_sum<double_word_moments>(from, 1);
    differing_ = std::uint32_t(from[parts - 1]);
  }

  /// After end or read. Squares may have lost what is too small for a double.
  ONEFOLD_DEVICE double_word_moments sums() const {
    double_word_moments made = sums_;
    const bool are_zeros = differing_ == 0 && first_ << 1 == 0;
    const double lost = are_zeros || !Proof::bounds_errors ? 0 : 0x1p-1000;
    made.squares.u = __dadd_ru(made.squares.u, lost);
    made.squares.minus_d = __dadd_ru(made.squares.minus_d, lost);
    return made;
  }
  ONEFOLD_DEVICE double shift() const { return shift_; }
  /// Whether all elements are one finite number.
  ONEFOLD_DEVICE bool is_constant() const {
    return differing_ == 0 && (high(first_) & 0x7FF00000) != 0x7FF00000;
  }

  /// Whether there are elements since the last end.
  ONEFOLD_DEVICE bool is_open() const { return count_ > 0; }
  /// The sums in progress become a part of the sums.
  ONEFOLD_DEVICE void end() {
    const double m = double(count_ + 2), error = Proof::bounds_errors ? m * m * 0x1p-106 : 0;
    const double of_all = error * anchor_, of_squares = __dmul_ru(error, b_);
    // a_ <= 2 M, so that rest is what the difference lost; that of the squares is exact.
    const double all = a_ - anchor_, rest = a_ - (all + anchor_);
    double_word_moments ended;
    ended.all = {all, __dadd_ru(a_low_, __dadd_ru(of_all, rest)),
                 __dadd_ru(-a_low_, __dadd_ru(of_all, -rest))};
    ended.squares = {b_ - square_of_anchor(), __dadd_ru(b_low_, of_squares),
                     __dadd_ru(-b_low_, of_squares)};
    if (has_ended_)
      sums_.join(ended);
    else
      sums_ = ended;
    has_ended_ = true;
    begin(0);
  }

 private:
  static constexpr std::uint32_t one_binade = 1u << 20;  // of high words
  static constexpr int log2_most_terms = Proof::log2_most_terms;
  static constexpr int most_terms = (1 << log2_most_terms) - 2;
  // Of limits for which M^2 is neither too large nor too small.
  static constexpr std::uint32_t least_field = 1023 - 480, most_field = 1023 + 470;

  ONEFOLD_DEVICE anchored_moments(std::uint64_t first, double shift)
      : first_(first), shift_(shift) {}
  ONEFOLD_DEVICE static std::uint32_t high(std::uint64_t bits) { return std::uint32_t(bits >> 32); }
  ONEFOLD_DEVICE static double power(std::uint32_t field) {
    return detail::from_bits<double>(std::uint64_t(field) << 52);
  }

  ONEFOLD_DEVICE void take(double d) {
    const double t = a_ + d, s = fma(d, d, b_);
    a_low_ += d - (t - a_);
    b_low_ += fma(d, d, -(s - b_));
    a_ = t, b_ = s;
  }

  // M is 2^log2_most_terms of the limit, and the squares' is that of the limit squared.
  ONEFOLD_DEVICE double square_of_anchor() const {
    const double limit = anchor_ * (1.0 / (1 << log2_most_terms));
    return limit * limit;
  }
  ONEFOLD_DEVICE void begin(double anchor) {
    anchor_ = anchor, count_ = 0;
    a_ = anchor == 0 ? -0.0 : anchor, b_ = square_of_anchor(), a_low_ = b_low_ = 0;
  }
  // Sums that `most`, a high word of |d|, is within. Where there are none they become NaN.
  ONEFOLD_DEVICE void anchor(std::uint32_t most) {
    const double kept = anchor_;
    if (count_ > 0) end();
    if (most <= limit_) return begin(kept);
    const std::uint32_t field = most / one_binade + 1 + Proof::log2_margin;
    const bool bounded = Proof::bounds_distances && shift_ != 0;
    const std::uint32_t half =
        max(high(detail::to_bits(shift_)) & 0x7FFFFFFF, one_binade) - one_binade;
    if (field < least_field || field > most_field || (bounded && most >= half)) {
      begin(__longlong_as_double(0x7FF8000000000000)), limit_ = 0xFFFFFFFF;
      return;
    }
    begin(power(field + log2_most_terms));
    limit_ = Proof::bounds_terms ? field * one_binade - 1 : 0xFFFFFFFF;
    if (bounded) limit_ = min(limit_, half - 1);
  }

  std::uint64_t first_;
  double shift_, anchor_ = 0;
  double a_ = -0.0, a_low_ = 0, b_ = 0, b_low_ = 0;
  double_word_moments sums_;
  std::uint32_t limit_ = 0, differing_ = 0;
  int count_ = 0;
  bool has_ended_ = false;  ///< some sums
};

}  // namespace onefold::cuda
