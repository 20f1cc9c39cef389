// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cascades of one lane for the sums of elements and of their squares, in one pass; of bfloat16
// short_products.cuh has them.
//
// A chain is T elements of a lane, |x| < 2^E. Every level starts a chain at its M = 1.5 * 2^p and
// at its end gives what it moved by, in units of 2^(p-52), to a counter of 64 bits; if a chain of
// some lane is not accepted, no counter of its warp has changed. With h = log2 T:
//
//   elements   x into one level p = E + h + 1 (f64: and a second, p = E - 21), with the checks of
//              cascade.cuh: binades, and nothing rounded off at the last level
//   squares    binary64 holds those of the narrow types: s = fma(x, x, s) into p = 2 E + h + 1,
//              binades checked, and the rest unchecked into p - 52 + h
//              f64: x x = p + e exactly; p into two such levels with both checks, e unchecked into
//              the second of them, from the same start, and into one more below
//
// No other check is needed. Levels below the first move by at most T 2^(p_above - 53) = 2^(p - 1):
// they stay in their binades or end on the upper edge. Let u be the unit of the elements' last
// level and q that of the squares'. An accepted x is a multiple of u, so x x, p and e are multiples
// of u^2, and u^2 >= q:
//   f64, T = 8    u = 2^(E - 73),  q = 2^(2 E - 146); q >= 2^-1074, so that e is a double
//   f32, T = 16   u = 2^(E - 47),  q = 2^(2 E - 95)
//   f16, T = 32   u = 2^-24,       q = 2^-48, any finite x
// (or, where a level would lie below the unit of its sum, that unit).
// Hence nothing is left over after the squares' last level. docs/numerics/moments-loop.md has the
// proof for the same levels with other constants (Lemma M1, Theorem M2).
//
// Exponent range: an element of P bits and exponent e fits with one of exponent E - 2 if
//   E - 2 - e <= 72 - P (f64: 19),  46 - P (f32: 22)

#include "cuda/accumulators/terms.cuh"
#include "onefold/detail/exact_moments.hpp"

namespace onefold::cuda {

template <class T>
struct moment_terms {
  using sum = terms<accumulator::total, T>;
  using squares = terms<accumulator::squares, T>;
  using bits = typename sum::bits;
  using state = detail::moments<T>;
  static constexpr bool pairs = false;
  static constexpr bool has_errors = squares::has_errors, fixed = sum::shape.fixed;
  static constexpr int vectors = 4, items = vectors * vector_items<T>;
  static constexpr int chain_log2 = has_errors ? 3 : sizeof(bits) == 4 ? 4 : 5;
  static constexpr int words = sum::words + squares::words;
  static_assert(items == 1 << chain_log2, "a tile is a chain of each lane");
};

/// The exponents p of the levels of a window for elements below 2^E.
template <class T, class Checks>
struct moment_window {
  using traits = moment_terms<T>;
  static constexpr int first_headroom = traits::chain_log2 + 1, step = 52 - traits::chain_log2;
  static constexpr int least_exponent = traits::has_errors ? -464 : -200;
  static constexpr int largest_exponent = traits::has_errors ? 509 : 200;

  int top;  ///< E

  /// The window for a largest element of that exponent, with a binade to spare.
  ONEFOLD_DEVICE static int exponent_for(int largest) {
    if (traits::fixed) return 16;
    return Checks::on.clamp ? max(largest + 2, least_exponent) : largest + 2;
  }

  ONEFOLD_DEVICE int element_level(int l) const {
    return max(l == 0 ? top + first_headroom : top - 21, least_level(traits::sum::lsb));
  }
  ONEFOLD_DEVICE int square_level(int l) const {
    return max(2 * top + first_headroom - l * step, least_level(traits::squares::lsb));
  }
};

/// What tiles that fit one window have come to, and the window.
template <class T, class Checks>
class moment_levels {
 public:
  using traits = moment_terms<T>;
  using window_type = moment_window<T, Checks>;
  static constexpr int element_levels = traits::has_errors ? 2 : 1;
  static constexpr int square_levels = traits::has_errors ? 3 : 2;
  /// A counter moves by at most 2^52 in a chain.
  static constexpr int most_tiles = 1 << 10;

  ONEFOLD_DEVICE explicit moment_levels(window_type in) : in_(in) {}

  /// The window for a largest element of that exponent.
  ONEFOLD_DEVICE static window_type window(int exponent) {
    return {window_type::exponent_for(exponent)};
  }
  ONEFOLD_DEVICE static bool can_open(int exponent) {
    return window_type::exponent_for(exponent) <= window_type::largest_exponent;
  }

  /// The levels of one chain, which is a tile.
  class chain {
   public:
    ONEFOLD_DEVICE explicit chain(const moment_levels& levels) {
      ONEFOLD_UNROLL
      for (int l = 0; l < element_levels; ++l) x_[l] = levels.start_of_elements(l);
      ONEFOLD_UNROLL
      for (int l = 0; l < square_levels; ++l) s_[l] = levels.start_of_squares(l);
      e_ = s_[1];
      x_word_ = high_word(x_[0]), s_word_ = high_word(s_[0]);
    }

    ONEFOLD_DEVICE void add(double x, evidence& seen) {
      add_element(x, seen);
      if constexpr (traits::has_errors)
        add_square_and_error(x, seen);
      else
        add_square(x, seen);
    }

    /// Whether an Inf or NaN has been added, which never leaves the levels.
    ONEFOLD_DEVICE std::uint32_t binade_of_elements() const { return high_word(x_[0]) ^ x_word_; }

    ONEFOLD_DEVICE double element(int l) const { return x_[l]; }
    ONEFOLD_DEVICE double square(int l) const { return s_[l]; }
    ONEFOLD_DEVICE double error() const { return e_; }

   private:
    ONEFOLD_DEVICE void add_element(double x, evidence& seen) {
      const double t = x_[0] + x;
      if constexpr (!traits::fixed) {
        if (Checks::on.binade) seen.binade |= high_word(t) ^ x_word_;
        const double q = t - x_[0];
        if constexpr (element_levels == 2)
          add_last(x_[1], x - q, Checks::on.sum_residual, seen);
        else if (Checks::on.sum_residual)
          compare(q, x, seen);
      }
      x_[0] = t;
    }
    // x x is a double.
    ONEFOLD_DEVICE void add_square(double x, evidence& seen) {
      const double t = fma(x, x, s_[0]);
      if (!traits::fixed && Checks::on.binade) seen.binade |= high_word(t) ^ s_word_;
      s_[1] += fma(x, x, -(t - s_[0]));
      s_[0] = t;
    }
    ONEFOLD_DEVICE void add_square_and_error(double x, evidence& seen) {
      const double p = x * x, t = s_[0] + p;
      if (Checks::on.binade) seen.binade |= high_word(t) ^ s_word_;
      add_last(s_[1], p - (t - s_[0]), Checks::on.residual, seen);
      s_[0] = t;
      if (!Checks::on.error_term) return;
      const double e = fma(x, x, -p), u = e_ + e;
      s_[square_levels - 1] += e - (u - e_);
      e_ = u;
    }
    ONEFOLD_DEVICE static void add_last(double& s, double x, bool checked, evidence& seen) {
      const double t = s + x;
      if (checked) compare(t - s, x, seen);
      s = t;
    }
    ONEFOLD_DEVICE static void compare(double q, double x, evidence& seen) {
      seen.low |= low_word(q) ^ low_word(x);
      seen.high |= high_word(q) ^ high_word(x);
    }

    double x_[element_levels], s_[square_levels], e_;
    std::uint32_t x_word_, s_word_;
  };

  ONEFOLD_DEVICE static bool accepts(const evidence& seen) {
    return ((seen.binade & 0xFFF00000) | seen.low | (seen.high & 0x7FFFFFFF)) == 0;
  }

  ONEFOLD_DEVICE void take(const chain& c) {
    ONEFOLD_UNROLL
    for (int l = 0; l < element_levels; ++l)
      elements_[l] += moved(c.element(l), start_of_elements(l));
    ONEFOLD_UNROLL
    for (int l = 0; l < square_levels; ++l) squares_[l] += moved(c.square(l), start_of_squares(l));
    if constexpr (traits::has_errors) squares_[1] += moved(c.error(), start_of_squares(1));
  }

  /// Whether this lane's sums are not zero.
  ONEFOLD_DEVICE bool moved() const { return (elements_[0] | squares_[0]) != 0; }

  /// Into the digits of the warp.
  template <class Sum, class Squares>
  ONEFOLD_DEVICE void flush(const Sum& sum, const Squares& squares) const {
    ONEFOLD_UNROLL
    for (int l = 0; l < element_levels; ++l)
      deposit(elements_[l], in_.element_level(l) - 52 - traits::sum::lsb, sum);
    ONEFOLD_UNROLL
    for (int l = 0; l < square_levels; ++l)
      deposit(squares_[l], in_.square_level(l) - 52 - traits::squares::lsb, squares);
  }

 private:
  ONEFOLD_DEVICE double start_of_elements(int l) const {
    return start_of(start_word(in_.element_level(l)));
  }
  ONEFOLD_DEVICE double start_of_squares(int l) const {
    return start_of(start_word(in_.square_level(l)));
  }
  ONEFOLD_DEVICE static std::uint64_t moved(double s, double start) {
    return __builtin_bit_cast(std::uint64_t, s) - __builtin_bit_cast(std::uint64_t, start);
  }
  // A warp's sum of a counter may need more than the 64 bits of one deposit.
  template <class Digits>
  ONEFOLD_DEVICE static void deposit(std::uint64_t counter, int shift, const Digits& to) {
    to.deposit(warp_sum(std::int64_t(counter & 0xFFFFFFFF)), shift);
    to.deposit(warp_sum(std::int64_t(counter) >> 32), shift + 32);
  }

  window_type in_;
  std::uint64_t elements_[element_levels] = {}, squares_[square_levels] = {};
};

}  // namespace onefold::cuda
