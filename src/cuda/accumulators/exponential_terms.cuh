// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of elements that can be read again.
//
// The elements of an answer are x, and b is the band of one of them, with the middle m = 512 b. A
// lane adds E(d) of each distance d = x - m, as far as exponential_reach: of elements of band b the
// terms that are specified, of higher ones at least E(256) > 2^369, of lower ones at most E(-256) <
// 2^-369. So if the sum S is below 2^369, b is the highest band. The specified sum has lower terms
// that are less than E(-256) in these units, too, or none: it differs by less than n 2^-369 from
// that of what was added.
//
// How they are rounded, and the bounds of their errors: rounding/exponential_answers.cuh.

#include "cuda/accumulators/interval.cuh"
#include "cuda/primitives/exponential.cuh"

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

}  // namespace onefold::cuda
