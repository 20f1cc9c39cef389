// SPDX-License-Identifier: Apache-2.0
// The steps of variances and products in two doubles, compiled for each SIMD target: a lane is an
// answer. It is between two doubles, by a bound of what the others miss. Proof:
// docs/numerics/intervals.md, "Columns".
#if defined(ONEFOLD_CPU_ROUNDED_STEPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_ROUNDED_STEPS_INL
#undef ONEFOLD_CPU_ROUNDED_STEPS_INL
#else
#define ONEFOLD_CPU_ROUNDED_STEPS_INL
#endif

#include <limits>
#include <type_traits>

#include "cpu/kernels/columns/column_kernels.hpp"
#include "cpu/kernels/product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using double_pair = pair_vector<double_tag>;

// high + low == a + b exactly. Source: Knuth's TwoSum.
HWY_INLINE double_pair exact_sum_of(double_vector a, double_vector b) {
  const auto high = hn::Add(a, b), z = hn::Sub(high, a);
  return {high, hn::Add(hn::Sub(a, hn::Sub(high, z)), hn::Sub(b, z))};
}

HWY_INLINE double_vector error_of_square(double_vector x, double_vector square) {
  return fused(double_tag(), x, x, hn::Neg(square));
}

// x / n - quotient, up to rounding; low is added to x.
HWY_INLINE double_vector rest_of_quotient(double_vector x, double_vector low, double_vector n,
                                          double_vector quotient) {
  const auto rest = fused(double_tag(), hn::Neg(quotient), n, x);
  return hn::Div(hn::Add(rest, low), n);
}

// An answer is between two doubles, which are equal where it is exact; NaN: not known.
struct answer_ends {
  double_vector lower, upper;
};

// high + low +- slack. Narrow: to be rounded to fewer digits than a double has, so that low widens
// the ends, which is simpler.
template <bool Narrow>
HWY_INLINE answer_ends ends_of(double_vector high, double_vector low, double_vector slack) {
  if constexpr (Narrow) {
    const auto less = hn::MulAdd(hn::Abs(high), hn::Set(double_tag(), 0x1p-50), hn::Abs(low));
    const auto wide = hn::Add(slack, less);
    return {hn::Sub(high, wide), hn::Add(high, wide)};
  }
  return {hn::Add(high, hn::Sub(low, slack)), hn::Add(high, hn::Add(low, slack))};
}

HWY_INLINE double_vector unknown() {
  return hn::Set(double_tag(), std::numeric_limits<double>::quiet_NaN());
}
HWY_INLINE answer_ends known_where(hn::Mask<double_tag> known, answer_ends ends) {
  return {hn::IfThenElse(known, ends.lower, unknown()),
          hn::IfThenElse(known, ends.upper, unknown())};
}
HWY_INLINE answer_ends replaced_where(hn::Mask<double_tag> where, double_vector by,
                                      answer_ends ends) {
  return {hn::IfThenElse(where, by, ends.lower), hn::IfThenElse(where, by, ends.upper)};
}

// --- variances ----------------------------------------------------------------------------------

// Sums of the distances from the first row and of their squares; `rest`: the sum of what a sum's
// roundings left.
struct moments_fold {
  static constexpr int parts = 7;
  static constexpr std::int64_t rows_at_once = 8;
  double_vector first, sum, sum_rest, squares, squares_rest;
  double_vector left;  // the bits of everything that is in a rest
  double_vector seen;  // of all distances

  HWY_INLINE void begin(double_vector x) {
    first = x;
    sum = sum_rest = squares = squares_rest = left = seen = hn::Zero(double_tag());
    take(x);
  }
  HWY_INLINE void take(double_vector x) {
    const auto distance = exact_sum_of(x, hn::Neg(first));
    const auto d = distance.high, square = hn::Mul(d, d);
    const auto more = fused(double_tag(), hn::Add(d, d), distance.low, error_of_square(d, square));
    const auto of_sum = exact_sum_of(sum, d), of_squares = exact_sum_of(squares, square);
    sum = of_sum.high, sum_rest = hn::Add(sum_rest, hn::Add(of_sum.low, distance.low));
    squares = of_squares.high, squares_rest = hn::Add(squares_rest, hn::Add(of_squares.low, more));
    left = hn::Or(hn::Or(left, hn::Or(distance.low, more)), hn::Or(of_sum.low, of_squares.low));
    seen = hn::Or(seen, d);
  }
  HWY_INLINE void close() {}
  template <class F>
  HWY_INLINE void for_each_part(const F& f) {
    f(first, 0), f(sum, 1), f(sum_rest, 2), f(squares, 3), f(squares_rest, 4), f(left, 5);
    f(seen, 6);
  }
};

template <bool Root, bool Narrow>
struct spread_answer {
  using fold = moments_fold;

  static HWY_INLINE answer_ends interval_of(const fold& f, const column_strip& strip) {
    const double_tag d;
    const auto rows = double(strip.first + strip.rows);
    const auto n = hn::Set(d, rows), divisor = hn::Set(d, strip.divisor), zero = hn::Zero(d);
    const auto sum = exact_sum_of(f.sum, f.sum_rest);
    const auto square = hn::Mul(sum.high, sum.high), less = hn::Div(square, n);
    const auto square_rest =
        fused(d, hn::Add(sum.high, sum.high), sum.low, error_of_square(sum.high, square));
    const auto less_rest = rest_of_quotient(square, square_rest, n, less);
    const auto difference = exact_sum_of(f.squares, hn::Neg(less));
    const auto total =
        exact_sum_of(difference.high, hn::Add(difference.low, hn::Sub(f.squares_rest, less_rest)));
    auto high = hn::Div(total.high, divisor);
    auto low = rest_of_quotient(total.high, total.low, divisor, high);
    auto slack = hn::Div(hn::Mul(f.squares, hn::Set(d, rows * rows * 0x1p-99)), divisor);
    auto rests = hn::Or(hn::Or(f.left, square_rest), hn::Or(less_rest, hn::Or(total.low, low)));
    if (Root) {
      const auto root = hn::Sqrt(high), twice = hn::Add(root, root);
      low = hn::Div(hn::Sub(low, error_of_square(root, high)), twice);
      high = root, slack = hn::Div(slack, twice), rests = hn::Or(rests, low);
    }
    slack = hn::MulAdd(hn::Abs(low), hn::Set(d, 0x1p-50), slack);
    auto ends = ends_of<Narrow>(high, low, slack);
    // Squares of narrow elements do not underflow.
    if (Narrow) ends = replaced_where(hn::Eq(rests, zero), high, ends);
    const auto sound =
        hn::And(hn::Gt(f.squares, hn::Set(d, 0x1p-800)), hn::Lt(f.squares, hn::Set(d, 0x1p990)));
    ends = known_where(hn::And(sound, hn::Gt(ends.lower, zero)), ends);
    ends = replaced_where(hn::Eq(f.seen, zero), zero, ends);
    // Half the only distance, a tie of doubles as likely as not.
    if (Root && !Narrow && rows == 2 && strip.divisor == 2) {
      const auto half = hn::Mul(hn::Abs(f.seen), hn::Set(d, 0.5));
      ends = replaced_where(hn::Lt(half, hn::Set(d, 0x1p1000)), half, ends);
    }
    return ends;
  }
};

// --- products -----------------------------------------------------------------------------------

// high 2^exponent, up to a relative 2^-53 a row. Six rows of elements of 16 or 32 bits, which are
// within 2^-149 ... 2^128, neither overflow nor underflow.
struct narrow_product_fold {
  static constexpr int parts = 5;
  static constexpr std::int64_t rows_at_once = 6;
  static constexpr double slack_of_row = 0x1p-51;
  double_vector high;
  word_vector exponent;
  double_vector left;      // the bits of all errors
  double_vector smallest;  // zero once an element is
  double_vector special;   // a NaN once an element is NaN or infinite

  HWY_INLINE void begin(double_vector x) {
    const double_tag d;
    high = smallest = hn::Set(d, 1.0), left = special = hn::Zero(d);
    exponent = hn::Zero(word_tag());
    take(x);
  }
  HWY_INLINE void take(double_vector x) {
    const auto product = hn::Mul(high, x);
    left = hn::Or(left, fused(double_tag(), high, x, hn::Neg(product)));
    high = product;
  }
  // Back to 1 <= |high| < 2.
  HWY_INLINE void close() {
    const auto field = fields_of(high);
    exponent = hn::Add(exponent, hn::Sub(field, hn::Set(word_tag(), std::uint64_t(exponent_bias))));
    smallest = hn::Min(smallest, hn::Abs(high));
    special = hn::Or(special, hn::Mul(high, hn::Zero(double_tag())));
    high = significands_of(high);
  }
  HWY_INLINE double_vector low() const { return hn::Zero(double_tag()); }
  HWY_INLINE word_vector exponent_of(std::int64_t) const { return exponent; }
  template <class F>
  HWY_INLINE void for_each_part(const F& f) {
    f(high, 0), f(exponent, 1), f(left, 2), f(smallest, 3), f(special, 4);
  }
};

// (high + low) 2^exponent, as product-inl.hpp multiplies.
struct wide_product_fold {
  static constexpr int parts = 5;
  static constexpr std::int64_t rows_at_once = 8;
  static constexpr double slack_of_row = 0x1p-100;
  double_vector high, low_part;
  word_vector exponent;    // with the bias of each row
  double_vector smallest;  // magnitude; NaNs count for nothing
  double_vector special;   // a NaN once an element is NaN or infinite

  HWY_INLINE void begin(double_vector x) {
    const double_tag d;
    high = hn::Set(d, 1.0), low_part = special = hn::Zero(d), smallest = hn::Abs(x);
    exponent = hn::Zero(word_tag());
    take(x);
  }
  HWY_INLINE void take(double_vector x) {
    const double_tag d;
    exponent = hn::Add(exponent, fields_of(x));
    special = hn::Or(special, hn::Mul(x, hn::Zero(d)));
    smallest = hn::Min(smallest, hn::Abs(x));
    const auto product = times(d, double_pair{high, low_part}, significands_of(x));
    high = product.high, low_part = product.low;
  }
  // Back to 1 <= |high| < 2.
  HWY_INLINE void close() {
    const word_tag words;
    const auto field = fields_of(high), bias = hn::Set(words, std::uint64_t(exponent_bias));
    const auto inverse = hn::ShiftLeft<52>(hn::Sub(hn::Add(bias, bias), field));
    exponent = hn::Add(exponent, hn::Sub(field, bias));
    high = significands_of(high);
    low_part = hn::Mul(low_part, hn::BitCast(double_tag(), inverse));
  }
  HWY_INLINE double_vector low() const { return low_part; }
  HWY_INLINE word_vector exponent_of(std::int64_t rows) const {
    const auto bias = std::uint64_t(rows) * std::uint64_t(exponent_bias);
    return hn::Sub(exponent, hn::Set(word_tag(), bias));
  }
  template <class F>
  HWY_INLINE void for_each_part(const F& f) {
    f(high, 0), f(low_part, 1), f(exponent, 2), f(smallest, 3), f(special, 4);
  }
};

enum class answer_width { narrow, wide, integer };

// Of integers the answer is the sum of the two ends.
template <answer_width Width>
struct product_answer {
  using fold =
      std::conditional_t<Width == answer_width::narrow, narrow_product_fold, wide_product_fold>;

  static HWY_INLINE answer_ends interval_of(const fold& f, const column_strip& strip) {
    const double_tag d;
    const hn::RebindToSigned<double_tag> words;
    const std::int64_t rows = strip.first + strip.rows;
    const auto zero = hn::Zero(d);
    const auto exponent = hn::BitCast(words, f.exponent_of(rows));
    const auto is_above = [&](std::int64_t bound) HWY_ATTR {
      return hn::RebindMask(d, hn::Gt(exponent, hn::Set(words, bound)));
    };
    const auto scale =
        hn::BitCast(d, hn::ShiftLeft<52>(hn::Add(exponent, hn::Set(words, exponent_bias))));
    answer_ends ends;
    if (Width == answer_width::integer) {
      ends = {hn::Mul(f.high, scale), hn::Mul(f.low(), scale)};
      ends = known_where(hn::Not(is_above(61)), ends);
      ends = replaced_where(hn::Eq(f.smallest, zero), zero, ends);
    } else {
      constexpr bool narrow = Width == answer_width::narrow;
      ends = ends_of<narrow>(f.high, f.low(), hn::Set(d, double(rows) * fold::slack_of_row));
      if constexpr (narrow) ends = replaced_where(hn::Eq(f.left, zero), f.high, ends);
      const auto inside = hn::AndNot(is_above(1000), is_above(-1000));
      ends = known_where(inside, {hn::Mul(ends.lower, scale), hn::Mul(ends.upper, scale)});
      const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity());
      ends = replaced_where(is_above(1025), hn::CopySign(infinity, f.high), ends);
      ends = replaced_where(hn::Not(is_above(-1080)), hn::CopySign(zero, f.high), ends);
      // Of normal doubles only.
      ends = known_where(hn::Ge(f.smallest, hn::Set(d, std::numeric_limits<double>::min())), ends);
      ends = replaced_where(hn::Eq(f.smallest, zero), hn::CopySign(zero, f.high), ends);
    }
    return known_where(hn::Eq(f.special, zero), ends);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
