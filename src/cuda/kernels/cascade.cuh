// SPDX-License-Identifier: Apache-2.0
#pragma once
// The self-checking cascade of one lane, in a window that its whole warp shares.
//
// L doubles start at M_l = 1.5 * 2^p_l and take in terms x, from level to level:
//   t = s1 + x;  q = t - s1;  r = x - q;  s1 = t        and so on down, r into s2, s3 …
//
// Theorem (to nearest, subnormals kept). If s and t = fl(s + x) lie in [2^p, 2^(p+1)), then q and r
// are exact, s + x = t + r, and |r| <= 2^(p-53).
// Proof. t - s is a multiple of 2^(p-52) below 2^p, so q is exact. t < 2^(p+1) forces x < 2^p, and
// t >= 2^p forces s + x > 0, so |x| <= s: the error of the addition is a double, and it is x - q.
//
// A tile of T terms is accepted if, in every lane,
//   level 1   t keeps the sign and exponent of M_1 at every addition (Inf, NaN, overflow do not);
//   levels    begin and end a tile within 2^(p-2) of M_l. Within it they move by at most
//   below     2 T 2^(p_above - 53) <= 2^(p-2), the factor 2 for the errors of products, so they
//             stay in their binades: p_below = p_above - 52 + room_log2, T <= 2^(room_log2 - 2);
//   last      t - s == r at every addition: nothing was rounded off.
// Then sum x = sum_l (s_l' - s_l) exactly, for every input. A tile that is not accepted leaves the
// levels as they were.
//
// Clamp: 2^(p_l-52) is never below the unit of the sum, nor p_l below -1022. At the clamp every
// term is a multiple of the level's unit.
//
// Spread: an element of P bits and exponent e fits beside one of exponent E if
//   E - e <= 52 L - (L - 1) room_log2 - head_log2 - P          (f64: 77 bits, f32: 62 bits)
// Source: the idea of pre-rounded bins is Demmel and Nguyen's (ReproBLAS, UCB/EECS-2015-229).

#include "cuda/kernels/wide.cuh"
#include "onefold/detail/round.hpp"

namespace onefold::cuda {

/// Which checks are compiled in. As a type, because nvcc 13 cannot name kernels that have a struct
/// among their template arguments.
struct all_checks {
  static constexpr detail::checks on{};
};

inline constexpr int head_log2 = 10;  // binades of level 1 above the terms of the opening tile
inline constexpr int room_log2 = 8;   // binades that levels below have for residuals
inline constexpr int level_step = 52 - room_log2;
inline constexpr int largest_opening = 1023 - head_log2 - 1;  // exponent: M_1 must be finite

ONEFOLD_DEVICE std::uint32_t high_word(double x) {
  return std::uint32_t(__builtin_bit_cast(std::uint64_t, x) >> 32);
}
ONEFOLD_DEVICE std::uint32_t low_word(double x) {
  return std::uint32_t(__builtin_bit_cast(std::uint64_t, x));
}

/// The upper word of 1.5 * 2^p; its lower word is zero. -1022 <= p.
ONEFOLD_DEVICE constexpr int start_word(int p) {
  return (p + 1023) << 20 | 0x80000;
}
ONEFOLD_DEVICE double start_of(int word) {
  return __builtin_bit_cast(double, std::uint64_t(std::uint32_t(word)) << 32);
}
/// The exponent of the last bit of a level that starts there.
ONEFOLD_DEVICE constexpr int unit_of(int word) {
  return (word >> 20) - 1023 - 52;
}

/// The lowest p of a window for an integer in units of 2^lsb.
ONEFOLD_HOST_DEVICE constexpr int least_level(int lsb) {
  return lsb + 52 > -1022 ? lsb + 52 : -1022;
}

/// What the additions of a tile have shown: bits that differ from what the proof needs.
struct evidence {
  std::uint32_t binade = 0, low = 0, high = 0;
};

/// `fixed`: one window holds every finite term and its last level every bit, so that a look at the
/// end of each tile is enough.
template <int Levels, bool Fixed, int Lsb, class Checks>
class cascade {
 public:
  static constexpr int least = least_level(Lsb);

  /// In the window of that word, the same in every lane.
  ONEFOLD_DEVICE explicit cascade(int window) : top_(window) {
    ONEFOLD_UNROLL
    for (int l = 0; l < Levels; ++l) s_[l] = start_of(word_of_level(l));
  }

  /// A window for terms below 2^(exponent + 1), as the upper word of M_1.
  ONEFOLD_DEVICE static constexpr int window(int exponent) {
    const int p = exponent + 1 + head_log2;
    return start_word(Fixed ? least + (Levels - 1) * level_step : p > least ? p : least);
  }
  ONEFOLD_DEVICE static constexpr bool can_open(int exponent) {
    return exponent <= largest_opening;
  }

  /// Adds a term at a level: 0, or for errors of products 1.
  template <int Level = 0>
  ONEFOLD_DEVICE void add(double x, evidence& seen) {
    const double s = s_[Level], t = s + x;
    s_[Level] = t;
    if constexpr (Level == 0 && !Fixed && Checks::on.binade)
      seen.binade |= high_word(t) ^ std::uint32_t(top_);
    if constexpr (Level + 1 < Levels) {
      add<Level + 1>(x - (t - s), seen);
    } else if constexpr (!Fixed && Checks::on.residual) {
      seen.low |= low_word(t - s) ^ low_word(x);
      seen.high |= high_word(t - s) ^ high_word(x);
    }
  }

  /// Whether the tile that this lane has added keeps to the proof. Zeros of either sign are equal.
  ONEFOLD_DEVICE bool accepts(const evidence& seen) const {
    std::uint32_t wrong = (seen.binade & 0xFFF00000) | seen.low | (seen.high & 0x7FFFFFFF);
    ONEFOLD_UNROLL
    for (int l = Fixed ? 0 : 1; Checks::on.tile && l < Levels; ++l)
      wrong |= (high_word(s_[l]) - std::uint32_t(word_of_level(l)) + 0x40000) & 0xFFF80000;
    return wrong == 0;
  }

  /// Moves what the levels have gathered into the digits of the warp: their end.
  template <class Digits>
  ONEFOLD_DEVICE void flush(const Digits& to) const {
    ONEFOLD_UNROLL
    for (int l = 0; l < Levels; ++l) {
      const int word = word_of_level(l);
      to.deposit(warp_sum(std::int64_t(__builtin_bit_cast(std::uint64_t, s_[l]) -
                                       __builtin_bit_cast(std::uint64_t, start_of(word)))),
                 unit_of(word) - Lsb);
    }
  }

 private:
  ONEFOLD_DEVICE int word_of_level(int l) const {
    if (Fixed) return start_word(least + (Levels - 1 - l) * level_step);
    const int below = top_ - l * (level_step << 20);
    return Checks::on.clamp ? max(below, start_word(least)) : below;
  }

  double s_[Levels];
  int top_;  // the upper word of M_1
};

/// |x| as an integer that orders magnitudes by their exponents; zero for zero alone.
ONEFOLD_DEVICE std::uint32_t magnitude_key(double x) {
  return (high_word(x) & 0x7FFFFFFF) | (low_word(x) != 0);
}
/// Inf and NaN give 1024.
ONEFOLD_DEVICE int exponent_of_key(std::uint32_t key) {
  const int field = int(key >> 20);
  return (field == 0 ? 1 : field) - 1023;
}

inline constexpr int chunk_terms = 8;  // of a lane, that the slow way takes at once

/// Adds v[chunk_terms] of each lane of a warp, times 2^scale, to the digits, whatever their spread:
/// from the largest exponent down, one window after another, each of which takes 47 bits off every
/// term. Level and theorem are the cascade's; the sum of chunk_terms parts below 2^(E+1) moves a
/// level by at most 2^(p-2). Returns the number of windows.
/// Precondition: every v is finite and below 2^1000.
template <int Lsb, class Digits>
ONEFOLD_DEVICE int add_by_windows(double (&v)[chunk_terms], int scale, const Digits& to) {
  const int least = least_level(Lsb - scale);
  for (int windows = 0;; ++windows) {
    std::uint32_t key = 0;
    ONEFOLD_UNROLL
    for (double x : v) key = max(key, magnitude_key(x));
    key = warp_max(key);
    if (key == 0) return windows;
    // A window over subnormals leaves less than 2^-1068: key 1, which is below 2^-1042.
    const int p = key == 1 ? least : max(exponent_of_key(key) + 6, least);
    const double m = start_of(start_word(p));
    double s = m;
    ONEFOLD_UNROLL
    for (double& x : v) {
      const double t = s + x;
      x -= t - s;
      s = t;
    }
    to.deposit(warp_sum(std::int64_t(__builtin_bit_cast(std::uint64_t, s) -
                                     __builtin_bit_cast(std::uint64_t, m))),
               p - 52 + scale - Lsb);
  }
}

}  // namespace onefold::cuda
