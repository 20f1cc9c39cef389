// SPDX-License-Identifier: Apache-2.0
// The window of the self-checking cascade: the positions of its levels, and their counters; and the
// number of levels and chains for each accumulator and type (docs/numerics/terms.md).
//
// A chain adds `chain_items` elements to L doubles, each of which starts at M_l = 1.5 * 2^p_l:
//   t = s1 + x;  q = t - s1;  r = x - q;  s1 = t        and so on down, r into s2, s3 …
// t must keep M_1's sign and exponent, and the last level must leave no residual. Then sum x is
// sum_l (s_l - M_l), exactly, for every input; bits(s_l) - bits(M_l) are the integers that the
// window's counters sum. A refused tile changes nothing. Proofs: docs/numerics.md, sections 1 to 3.
//
// An element of P bits and exponent e passes a window of exponent E iff
//   E - e <= 52 L - (L - 1) lg - (1 + lg + slack) - P,  lg = chain_items_log2
// which is 40 bits of f64 at L = 2, and 136 at L = 4.
// Source: pre-rounded bins are an idea of Demmel and Nguyen (ReproBLAS, UCB/EECS-2015-229).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "onefold/detail/round.hpp"
#include "onefold/dtype.hpp"
#include "state/accumulator.hpp"

namespace onefold::cpu {

using detail::all_checks;
using detail::checks;

inline constexpr int max_levels = 8;
inline constexpr int max_lanes = 8;         // doubles of one vector
inline constexpr int chains = 4;            // independent chains a tile, at most
inline constexpr int chain_items_log2 = 4;  // additions of one chain between two drains
inline constexpr int chain_items = 1 << chain_items_log2;
inline constexpr int window_slack = 2;  // binades that later tiles may grow before a reopening

/// Tiles whose sums 64-bit counters hold: a lane gains up to chains * 2^51 = 2^53 a tile.
inline constexpr int window_tiles = 1 << 9;

/// The format of a cascade's lanes: binary64, or for some sums of 16-bit elements binary32.
struct lane_format {
  int precision, least_exponent, max_exponent;
  int items_log2;  ///< additions of one chain between two drains

  constexpr int chain_items() const { return 1 << items_log2; }
  /// The exponent of M_1 in a window that takes terms up to 2^largest_exponent in magnitude.
  constexpr int first_level(int largest_exponent) const {
    return largest_exponent + 2 + items_log2;
  }
  /// The exponents from one level down to the next.
  constexpr int step() const { return precision - 1 - items_log2; }
  /// The largest exponent that a window can be opened for: M_1 must be finite.
  constexpr int most() const { return max_exponent - first_level(0); }
};
inline constexpr lane_format double_lanes = {53, -1022, 1023, chain_items_log2};
inline constexpr lane_format float_lanes = {24, -126, 127, 3};
inline constexpr lane_format half_lanes = {24, -126, 127, 2};

/// Windows of half_lanes always open here: M_1 = 1.5 * 2^19 has headroom for four of the largest
/// f16, and the last unit is 2^-25.
inline constexpr int half_exponent = 15;

/// The positions of the levels in the range of the lanes, and a counter for each level and lane.
struct cascade_window {
  alignas(64) std::int64_t counters[max_levels][max_lanes] = {};
  double start[max_levels] = {};  ///< M_l
  int unit[max_levels] = {};      ///< exponent of the last bit of M_l
  int levels = 0;                 ///< 0: closed

  /// No level is below `lowest`. Precondition: least_exponent <= lowest, and lowest < first_level -
  /// 1 where it is larger.
  template <checks Checks>
  void open(const lane_format& lanes, int level_count, int largest_exponent, int lowest) {
    levels = level_count;
    int p = lanes.first_level(largest_exponent);
    for (int l = 0; l < levels; ++l, p -= lanes.step()) {
      if (Checks.clamp) p = std::max(p, lowest);
      start[l] = std::ldexp(1.5, p);
      unit[l] = p - lanes.precision + 1;
    }
  }
  template <checks Checks>
  void open(const lane_format& lanes, int level_count, int largest_exponent) {
    open<Checks>(lanes, level_count, largest_exponent, lanes.least_exponent);
  }
};

__extension__ typedef __int128 int128;

/// Adds k * 2^shift units to a wide sum; where shift is negative, the division is exact.
template <class Sum>
void deposit(Sum& sum, int128 k, int shift) {
  if (shift < 0) k >>= -shift, shift = 0;
  sum.deposit(std::int64_t(k & INT64_MAX), shift);
  if (const auto high = std::int64_t(k >> 63); high != 0) sum.deposit(high, shift + 63);
}

/// The number of levels of a chain: for its terms, for the products' errors, and for moments the
/// elements.
struct levels {
  int main;
  int error = 0;
  int sum = 0;
  const lane_format* lanes = &double_lanes;
  bool fixed = false;  ///< one window holds every finite element: nothing else is checked

  /// The levels of the window that `main` and `error` share: an error starts one level down.
  constexpr int window() const { return error + 1 > main ? error + 1 : main; }
};

/// Whether the terms are products, which are represented by two doubles.
template <accumulator Accumulator, class T>
inline constexpr bool has_errors = std::is_same_v<T, double> &&
                                   (Accumulator == accumulator::squares ||
                                    Accumulator == accumulator::products ||
                                    Accumulator == accumulator::moments);

/// Whether the loop reads two arrays.
template <accumulator Accumulator>
inline constexpr bool has_two_factors = Accumulator == accumulator::products;

/// The cascades of a type, cheapest first; a tile that fails one is tried with the next.
template <accumulator Accumulator, class T>
struct cascades {  // f32, elements
  static constexpr levels depths[] = {{1}, {2}, {4}, {6}};
};
template <accumulator Accumulator>
struct cascades<Accumulator, double> {
  static constexpr levels depths[] = {{2}, {4}, {6}};
};
template <accumulator Accumulator>
struct cascades<Accumulator, bf16> {
  static constexpr levels depths[] = {{2, 0, 0, &float_lanes}, {2}, {4}, {6}};
};
template <accumulator Accumulator>
struct cascades<Accumulator, f16> {
  static constexpr levels depths[] = {{2, 0, 0, &half_lanes, true}};
};

template <class T>
struct product_cascades {
  static constexpr levels depths[] = {{2}, {4}, {6}};
};
template <>
struct product_cascades<double> {
  static constexpr levels depths[] = {{2, 2}, {4, 4}, {6, 6}};
};
template <>
struct product_cascades<f16> {
  static constexpr levels depths[] = {{2}};  // two levels hold every product of finite f16
};
// clang-format off
template <> struct cascades<accumulator::squares, double> : product_cascades<double> {};
template <> struct cascades<accumulator::squares, float> : product_cascades<float> {};
template <> struct cascades<accumulator::squares, bf16> : product_cascades<bf16> {};
template <> struct cascades<accumulator::squares, f16> : product_cascades<f16> {};
template <> struct cascades<accumulator::products, double> : product_cascades<double> {};
template <> struct cascades<accumulator::products, float> : product_cascades<float> {};
template <> struct cascades<accumulator::products, bf16> : product_cascades<bf16> {};
template <> struct cascades<accumulator::products, f16> : product_cascades<f16> {};
// clang-format on

// The precondition of the moments lemma for each row: docs/numerics/moments-loop.md, section 2.
template <>
struct cascades<accumulator::moments, float> {
  static constexpr levels depths[] = {{2, 0, 1}, {4, 0, 2}, {8, 0, 4}};
};
template <>
struct cascades<accumulator::moments, bf16> : cascades<accumulator::moments, float> {};
template <>
struct cascades<accumulator::moments, double> {
  static constexpr levels depths[] = {{3, 2, 2}, {4, 3, 2}, {6, 5, 3}};
};
template <>
struct cascades<accumulator::moments, f16> {
  static constexpr levels depths[] = {{2, 0, 1}};  // holds every finite f16
};

template <accumulator Accumulator, class T>
inline constexpr int depths_of = int(std::size(cascades<Accumulator, T>::depths));

/// The independent chains of a tile, which hide the latency of an addition. Loops of two or three
/// streams need fewer chains, and leave fewer registers for them.
template <accumulator Accumulator, class T>
inline constexpr int chains_of =
    has_errors<Accumulator, T> || Accumulator == accumulator::moments ? 2 : chains;

template <accumulator Accumulator, class T>
inline constexpr int tile_vectors = chain_items* chains_of<Accumulator, T>;

/// Below this magnitude the error of a product may not be a double.
inline constexpr double least_product = 0x1p-960;

}  // namespace onefold::cpu
