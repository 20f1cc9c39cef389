// SPDX-License-Identifier: Apache-2.0
#pragma once
// The self-checking cascade of one lane, in a window that its whole warp shares.
//
// A chain of T = 2^chain_log2 terms starts L floats of P bits (53, or 24) at the constants M_l =
// 1.5 * 2^p_l and takes in terms x, from level to level:
//   t = s1 + x;  q = t - s1;  r = x - q;  s1 = t        and so on down, r into s2, s3 …
// At its end every level hands k_l = bits(s_l) - bits(M_l) to an integer, and starts again.
//
// Theorem (to nearest, subnormals kept). If s and t = fl(s + x) lie in [2^p, 2^(p+1)), then q and r
// are exact, s + x = t + r, and |r| <= 2^(p-P).
// Proof. t - s is a multiple of 2^(p-P+1) below 2^p, so q is exact. t < 2^(p+1) forces x < 2^p, and
// t >= 2^p forces s + x > 0, so |x| <= s: the error of the addition is a float, and it is x - q.
//
// A tile of chains is accepted if, in every lane,
//   level 1   t keeps the sign and exponent of M_1 at every addition (Inf, NaN, overflow do not);
//   last      t - s == r at every addition: nothing was rounded off. Of products with errors that
//             is the last but one, and the last is that of the errors.
// Levels below the first need no look: R residuals and errors of products, each at most 2^(p-P) of
// the level above, move one by at most R 2^(p_above - P) <= 2^(p-1), where
//   p_below = p_above - P + 1 + headroom_log2,   R <= 2^headroom_log2,
// so it stays in [2^p, 2^(p+1)], and comes to the upper end with the last of them, if at all.
// Then the terms of the tile have the sum sum_l k_l 2^(p_l-P+1) exactly, for every input. Of a tile
// that is not accepted nothing is kept.
//
// Clamp: 2^(p_l-P+1) is never below the unit of the sum, nor p_l below the least normal exponent.
// At the clamp every term is a multiple of the level's unit.
//
// Exponent range: an element of B bits and exponent e fits with one of exponent E if
//   E - e <= (P - 1) L - (L - 1) headroom_log2 - head_log2 - B
// which is, with a margin of 1, 70 for sums of f32 and 92 of f64 in doubles, 40 for products of
// f64; in floats 30 for sums of bf16 and 37 of f32, with three levels. Source: the idea of
// pre-rounded bins is Demmel and Nguyen's (ReproBLAS, UCB/EECS-2015-229).

#include "cuda/accumulators/wide.cuh"
#include "onefold/detail/round.hpp"

namespace onefold::cuda {

/// Which checks are compiled in. As a type, because nvcc 13 cannot name kernels that have a struct
/// among their template arguments.
struct all_checks {
  static constexpr detail::checks on{};
};

ONEFOLD_DEVICE std::uint32_t high_word(double x) {
  return std::uint32_t(__builtin_bit_cast(std::uint64_t, x) >> 32);
}
ONEFOLD_DEVICE std::uint32_t low_word(double x) {
  return std::uint32_t(__builtin_bit_cast(std::uint64_t, x));
}

/// Lanes of either width. A window is named by the upper word of its M_1.
template <class Lane>
struct lane_format;
template <>
struct lane_format<double> {
  using counter = std::int64_t;
  static constexpr int precision = 53, bias = 1023, field_at = 20;

  ONEFOLD_DEVICE static double start_of(int word) {
    return __builtin_bit_cast(double, std::uint64_t(std::uint32_t(word)) << 32);
  }
  ONEFOLD_DEVICE static std::uint32_t upper(double x) { return high_word(x); }
  ONEFOLD_DEVICE static std::uint32_t lower(double x) { return low_word(x); }
  ONEFOLD_DEVICE static counter steps(double s, int word) {
    return counter(__builtin_bit_cast(std::uint64_t, s) -
                   (std::uint64_t(std::uint32_t(word)) << 32));
  }
};
template <>
struct lane_format<float> {
  using counter = std::int32_t;
  static constexpr int precision = 24, bias = 127, field_at = 23;

  ONEFOLD_DEVICE static float start_of(int word) { return __builtin_bit_cast(float, word); }
  ONEFOLD_DEVICE static std::uint32_t upper(float x) {
    return __builtin_bit_cast(std::uint32_t, x);
  }
  ONEFOLD_DEVICE static std::uint32_t lower(float) { return 0; }
  ONEFOLD_DEVICE static counter steps(float s, int word) { return counter(upper(s)) - word; }
};

/// The word of 1.5 * 2^p. p is normal.
template <class Lane = double>
ONEFOLD_DEVICE constexpr int start_word(int p) {
  using lane = lane_format<Lane>;
  return ((p + lane::bias) << lane::field_at) | 1 << (lane::field_at - 1);
}
ONEFOLD_DEVICE double start_of(int word) {
  return lane_format<double>::start_of(word);
}
/// The exponent of the last bit of a level that starts there.
template <class Lane = double>
ONEFOLD_DEVICE constexpr int unit_of(int word) {
  using lane = lane_format<Lane>;
  return (word >> lane::field_at) - lane::bias - (lane::precision - 1);
}

/// The lowest p of a window for an integer in units of 2^lsb.
template <class Lane = double>
ONEFOLD_HOST_DEVICE constexpr int least_level(int lsb) {
  using lane = lane_format<Lane>;
  const int unit = lsb + lane::precision - 1, normal = 1 - lane::bias;
  return unit > normal ? unit : normal;
}

/// What the additions of a tile have shown: bits that differ from what the proof needs.
struct evidence {
  std::uint32_t binade = 0, low = 0, high = 0;
};

/// How long chains are, and how far a window reaches above the terms that it is opened for.
struct cascade_shape {
  int levels;
  int chain_log2;       ///< terms of a chain
  bool errors = false;  ///< each term may come with an error, which begins at level 2
  int margin = 1;       ///< binades that later terms may be larger by
  bool fixed = false;   ///< one window holds every finite term, its last level every bit
};

/// Fixed: a look at the first level at the end of each chain is enough. Finite terms keep it in its
/// binade, and Inf and NaN stay; levels below may come to the upper end.
template <class Lane, class Shape, int Lsb, class Checks>
class cascade {
 public:
  using format = lane_format<Lane>;
  static constexpr cascade_shape shape = Shape::cascade;
  static constexpr int least = least_level<Lane>(Lsb);
  static constexpr int headroom_log2 = Checks::on.tile ? shape.chain_log2 + shape.errors : 0;
  static constexpr int level_step = format::precision - 1 - headroom_log2;
  static constexpr int head_log2 = shape.chain_log2 + 1 + shape.margin;
  /// After as many tiles the sums go to the digits: 2^10 chains below 2^51, or 2^12 below 2^22.
  static constexpr int most_tiles = 1 << 10;

  /// In the window of that word, the same in every lane.
  ONEFOLD_DEVICE explicit cascade(int window) : top_(window) { begin_chain(); }

  /// A window for terms below 2^(exponent + 1).
  ONEFOLD_DEVICE static constexpr int window(int exponent) {
    const int p = exponent + 1 + head_log2;
    if (shape.fixed) return start_word<Lane>(least + (shape.levels - 1) * level_step);
    return start_word<Lane>(p > least ? p : least);
  }
  ONEFOLD_DEVICE static constexpr bool can_open(int exponent) {
    return exponent + 1 + head_log2 <= format::bias;
  }

  /// Adds a term at a level: 0, or for errors of products 1. `Last` is the level after which
  /// nothing may be left.
  template <int Level = 0, int Last = shape.levels - 1>
  ONEFOLD_DEVICE void add(Lane x, evidence& seen) {
    const Lane s = s_[Level], t = s + x;
    s_[Level] = t;
    if constexpr (Level == 0) note_binade(t, seen);
    if constexpr (Level < Last) {
      add<Level + 1, Last>(x - (t - s), seen);
    } else if constexpr (!shape.fixed && Checks::on.residual) {
      seen.low |= format::lower(t - s) ^ format::lower(x);
      seen.high |= format::upper(t - s) ^ format::upper(x);
    }
  }

  /// Adds a b, which is a float of the lane: the same bits by an operation less.
  ONEFOLD_DEVICE void add_product(Lane a, Lane b, evidence& seen) {
    static_assert(shape.levels > 1);
    const Lane s = s_[0], t = fma(a, b, s);
    s_[0] = t;
    note_binade(t, seen);
    add<1>(fma(a, b, s - t), seen);
  }

  ONEFOLD_DEVICE void end_chain(evidence& seen) {
    ONEFOLD_UNROLL
    for (int l = 0; l < shape.levels; ++l) {
      const int word = word_of_level(l);
      if (shape.fixed && l == 0) seen.binade |= format::upper(s_[l]) ^ std::uint32_t(word);
      tile_[l] += format::steps(s_[l], word);
    }
    begin_chain();
  }

  /// Whether the tile that this lane has added keeps to the proof. Zeros of either sign are equal.
  ONEFOLD_DEVICE static bool accepts(const evidence& seen) {
    constexpr std::uint32_t sign_and_exponent = ~((std::uint32_t(1) << format::field_at) - 1);
    return ((seen.binade & sign_and_exponent) | seen.low | (seen.high & 0x7FFFFFFF)) == 0;
  }

  /// The tile is over: its sums count, or they do not.
  ONEFOLD_DEVICE void end_tile(bool keep) {
    ONEFOLD_UNROLL
    for (int l = 0; l < shape.levels; ++l) {
      if (keep) sum_[l] += tile_[l];
      tile_[l] = 0;
    }
  }

  /// Whether this lane's sums are not zero.
  ONEFOLD_DEVICE bool moved() const {
    std::int64_t any = 0;
    ONEFOLD_UNROLL
    for (const std::int64_t sum : sum_) any |= sum;
    return any != 0;
  }

  /// Moves the sums into the digits of the warp: the end.
  template <class Digits>
  ONEFOLD_DEVICE void flush(const Digits& to) const {
    ONEFOLD_UNROLL
    for (int l = 0; l < shape.levels; ++l) {
      const int shift = unit_of<Lane>(word_of_level(l)) - Lsb;
      const std::int64_t high = (sum_[l] + (std::int64_t(1) << 51)) >> 52;
      to.deposit(warp_sum(sum_[l] - high * (std::int64_t(1) << 52)), shift);
      if (any_lane(high != 0)) to.deposit(warp_sum(high), shift + 52);
    }
  }

 private:
  ONEFOLD_DEVICE void note_binade(Lane t, evidence& seen) const {
    if (!shape.fixed && Checks::on.binade) seen.binade |= format::upper(t) ^ std::uint32_t(top_);
  }
  ONEFOLD_DEVICE int word_of_level(int l) const {
    constexpr int bottom = start_word<Lane>(least);
    if (shape.fixed) return start_word<Lane>(least + (shape.levels - 1 - l) * level_step);
    const int below = top_ - l * (level_step << format::field_at);
    return Checks::on.clamp ? max(below, bottom) : below;
  }
  ONEFOLD_DEVICE void begin_chain() {
    ONEFOLD_UNROLL
    for (int l = 0; l < shape.levels; ++l) s_[l] = format::start_of(word_of_level(l));
  }

  Lane s_[shape.levels];
  typename format::counter tile_[shape.levels] = {};
  std::int64_t sum_[shape.levels] = {};
  int top_;
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

inline constexpr int chunk_terms = 8;  // of a lane, that the exact fallback takes at once

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
