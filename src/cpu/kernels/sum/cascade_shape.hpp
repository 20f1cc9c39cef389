// SPDX-License-Identifier: Apache-2.0
// The number of levels and chains of the cascade for each accumulator and type:
// docs/numerics/terms.md.
#pragma once

#include <iterator>
#include <type_traits>

#include "cpu/kernels/sum/cascade_window.hpp"
#include "onefold/dtype.hpp"
#include "state/accumulator.hpp"

namespace onefold::cpu {

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
