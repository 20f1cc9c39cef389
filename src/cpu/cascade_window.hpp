// SPDX-License-Identifier: Apache-2.0
// The window of the self-checking cascade: where its levels lie and what they have collected.
//
// A chain adds `chain_items` elements to L doubles, each of which starts at M_l = 1.5 * 2^p_l:
//   t = s1 + x;  q = t - s1;  r = x - q;  s1 = t        and so on down, r into s2, s3 …
//
// Theorem (to nearest, subnormals kept). If s and t = fl(s + x) lie in [2^p, 2^(p+1)), then
// q = fl(t - s) and r = fl(x - q) are exact, s + x = t + r, and |r| <= 2^(p-53).
// Proof. t - s is a multiple of 2^(p-52) below 2^p, so q is exact. t < 2^(p+1) forces
// s + x < 2^(p+1), and t >= 2^p forces s + x > 0, so -s < x < 2^p <= s: the error of that addition
// is a double, and it is x - q.
//
// Level 1 is checked at every addition: t must keep M_1's sign and exponent (which also catches
// Inf, NaN and overflow). Levels below need no such check: with lg = log2(chain_items) and
// p_(l+1) = p_l - 52 + lg, all residuals of a chain add up to at most chain_items * 2^(p_l - 53) =
// 2^(p_(l+1) - 1), which is how far M_(l+1) lies from the ends of its binade. The last level is
// checked for residue: t2 - sL is exact in one binade, so q2 == r says that nothing was lost.
// Clamp: p_l >= -1022. There the unit is 2^-1074, of which every double is a multiple.
//
// So an accepted chain satisfies sum x = sum_l (s_l - M_l), exactly, for every input. Within one
// binade bits(s) - bits(M) is the integer (s - M) / 2^(p-52), |.| <= 2^51, and those integers are
// what the window collects. A tile that is not accepted leaves nothing behind.
//
// Spread: an element of P bits and exponent e passes iff
//   E - e <= 52 L - (L - 1) lg - (1 + lg + slack) - P        (f64: 40 bits at L = 2, 136 at L = 4)
// Source: the idea of pre-rounded bins is Demmel and Nguyen's (ReproBLAS, UCB/EECS-2015-229).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "onefold/detail/round.hpp"

namespace onefold::cpu {

using detail::all_checks;
using detail::checks;

inline constexpr int max_levels = 6;
inline constexpr int max_lanes = 8;         // doubles of one vector
inline constexpr int chains = 4;            // independent chains a tile: the latency of an addition
inline constexpr int chain_items_log2 = 4;  // additions of one chain between two drains
inline constexpr int chain_items = 1 << chain_items_log2;
inline constexpr int window_slack = 2;  // binades that later tiles may grow before a reopening

/// Tiles whose counters 64 bits hold: a lane gathers up to chains * 2^51 = 2^53 a tile.
inline constexpr int window_tiles = 1 << 9;

/// The levels' places in the double range and their counters, a lane each.
struct cascade_window {
  alignas(64) std::int64_t counters[max_levels][max_lanes] = {};
  double start[max_levels] = {};  ///< M_l
  int p[max_levels] = {};         ///< exponent of M_l
  int depth = closed;             ///< which of the type's cascades is open
  int levels = 0;                 ///< its number of levels; 0 where closed
  int exponent = 0;               ///< elements up to 2^exponent in magnitude pass level 1 for sure
  int tiles = 0;                  ///< taken since the counters were last empty

  static constexpr int closed = -1;

  /// The largest exponent that a window can be opened for: M_1 must be finite.
  static constexpr int max_exponent = 1023 - 2 - chain_items_log2;

  template <checks Checks>
  void open(int at_depth, int level_count, int largest_exponent) {
    depth = at_depth;
    levels = level_count;
    exponent = largest_exponent;
    tiles = 0;
    int next = largest_exponent + 2 + chain_items_log2;
    for (int l = 0; l < levels; ++l) {
      p[l] = Checks.clamp ? std::max(next, -1022) : next;
      start[l] = std::ldexp(1.5, p[l]);
      next = p[l] - 52 + chain_items_log2;
    }
  }
};

}  // namespace onefold::cpu
