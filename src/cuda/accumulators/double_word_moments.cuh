// SPDX-License-Identifier: Apache-2.0
#pragma once
// Double-word sums of elements and of their squares, and the numerator of a variance of them.
//
// Let A be the sum of n < 2^31 elements x of f16, bf16 or f32, B that of their squares. Both x and
// x^2 are doubles, so that pair_sum (interval.cuh) gives A in [a - a', a + a''] and B in
// [b - b', b + b''], where the errors a', a'', b', b'' are about 2^-105 of the sums of magnitudes,
// and zero where no addition of double words was rounded. The variance is W / (n (n - c)) with
//   W = n B - A^2.
// n b = p + p' and a^2 = q + q' are exact products, p - q = r + r' is an exact sum, so that
//   W = r + r' + p' - q' + n [-b', b''] - 2 a [-a', a''] - [-a', a'']^2,
// whose terms after r are added with directed rounding. Nothing underflows: all terms are multiples
// of 2^-298 (of f64: docs/numerics/moments.md). n (n - c) is bounded by two doubles, and what is
// Inf or NaN makes an end so. The answer is between both ends, which are equal if it is exact in
// binary64: answers that are halfway between two values of the output's type are certified, too.

#include "cuda/accumulators/interval.cuh"

namespace onefold::cuda {

/// The sums of some elements and of their squares.
struct double_word_moments {
  static constexpr int parts = 2 * pair_sum::parts;
  pair_sum all, squares;

  ONEFOLD_DEVICE void add(double x) {
    all.add(x);
    squares.add(x * x);
  }
  ONEFOLD_DEVICE void join(const double_word_moments& other) {
    all.join(other.all);
    squares.join(other.squares);
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    all.for_each_part(f), squares.for_each_part(f);
  }
  /// Those of all lanes of a row, in each of them.
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2) {
      all.join(sum_across(all, step));
      squares.join(sum_across(squares, step));
    }
  }

  /// W. Not finite where it overflows.
  ONEFOLD_DEVICE pair_sum scaled_variance(double n) const {
    const double a = all.s, p = n * squares.s, q = a * a;
    pair_sum made;
    made.begin(p, -q);
    made.add_low(fma(n, squares.s, -p));
    made.add_low(-fma(a, a, -q));
    const double wide = fmax(fabs(all.u), fabs(all.minus_d)), square = __dmul_ru(wide, wide);
    const double above = fmax(__dmul_ru(2 * a, all.minus_d), __dmul_ru(-2 * a, all.u));
    const double below = fmax(__dmul_ru(2 * a, all.u), __dmul_ru(-2 * a, all.minus_d));
    made.u = __dadd_ru(made.u, __dadd_ru(__dmul_ru(n, squares.u), above));
    made.minus_d = __dadd_ru(made.minus_d, __dadd_ru(__dmul_ru(n, squares.minus_d), below));
    made.minus_d = __dadd_ru(made.minus_d, square);
    // After cancellation s is not the nearest double: it becomes that of the interval's middle.
    const double middle = 0.5 * (made.u - made.minus_d), rest = two_sum(made.s, middle);
    made.u = __dadd_ru(__dadd_ru(made.u, -middle), rest);
    made.minus_d = __dadd_ru(__dadd_ru(made.minus_d, middle), -rest);
    return made;
  }
};

}  // namespace onefold::cuda
