// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an exact sum of a accumulator adds for each element or pair: doubles, exactly.

#include "cuda/accumulators/cascade.cuh"
#include "cuda/primitives/load.cuh"
#include "onefold/detail/exact_dot.hpp"
#include "onefold/detail/exact_sum.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda {

template <accumulator Accumulator>
inline constexpr bool has_products =
    Accumulator == accumulator::products || Accumulator == accumulator::squares;

/// How the cascade of a accumulator and type is made.
struct sum_shape {
  int levels;
  int vectors;          ///< loads of 16 bytes a lane and array in one tile
  int margin;           ///< binades that terms may grow by before the window moves
  bool fixed = false;   ///< one window holds every finite element
  bool floats = false;  ///< lanes of float32; chains of one vector
  int chain = 0;        ///< terms of a chain, where that is another number
};

// Products of f64 have 106 bits, so their windows have none to spare.
// clang-format off
template <accumulator Accumulator, class T> struct shape_of {
  static constexpr sum_shape value = {2, 4, 8};
};
template <> struct shape_of<accumulator::squares, float> {
  static constexpr sum_shape value = {2, 4, 2};
};
template <> struct shape_of<accumulator::products, float> {
  static constexpr sum_shape value = {2, 2, 2};
};
template <accumulator Accumulator> struct shape_of<Accumulator, double> {
  static constexpr sum_shape value = {3, 4, 8};
};
template <> struct shape_of<accumulator::squares, double> {
  static constexpr sum_shape value = {3, 4, 1};
};
template <> struct shape_of<accumulator::products, double> {
  static constexpr sum_shape value = {3, 2, 1};
};
template <> struct shape_of<accumulator::total, bf16> {
  static constexpr sum_shape value = {2, 4, 1, false, true};
};
template <> struct shape_of<accumulator::magnitudes, bf16> {
  static constexpr sum_shape value = {2, 4, 1, false, true};
};
template <> struct shape_of<accumulator::products, bf16> {
  static constexpr sum_shape value = {2, 2, 8};
};
template <accumulator Accumulator> struct shape_of<Accumulator, f16> {
  static constexpr sum_shape value = {has_products<Accumulator> ? 2 : 1,
                                      Accumulator == accumulator::products ? 2 : 4, 0, true};
};
// clang-format on

/// Which lanes a kernel of whole arrays has: those of its shape, or, for sums of f32 and f16 on
/// devices with few units of float64, of float32.
struct usual_lanes {
  template <accumulator Accumulator, class T>
  static constexpr sum_shape shape = shape_of<Accumulator, T>::value;
};
// A float32 has no bit to spare for a term of 24: three levels of 21 hold a spread of 37. A sum of
// f16 has 40 bits and fits two levels of a fixed window, in chains of 4: the upper one begins at
// 2^20, and 4 terms are below 2^18.
struct float_lanes {
  template <accumulator Accumulator, class T>
  static constexpr sum_shape shape =
      std::is_same_v<T, f16> ? sum_shape{2, 4, 0, true, true, 4} : sum_shape{3, 4, 1, false, true};
};

/// Types and numbers of an exact sum, and its terms.
template <accumulator Accumulator, class T, class Lanes = usual_lanes>
struct terms {
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  using state =
      std::conditional_t<has_products<Accumulator>, detail::wide_dot<T>, detail::wide_sum<T>>;
  static constexpr sum_shape shape = Lanes::template shape<Accumulator, T>;
  static constexpr bool pairs = Accumulator == accumulator::products;
  static constexpr bool has_errors = has_products<Accumulator> && std::is_same_v<T, double>;
  static constexpr int lsb = has_products<Accumulator> ? 2 * format::lsb : format::lsb;
  static constexpr int limbs = state::limbs, words = state::words;
  static constexpr int items = shape.vectors * vector_items<T>;  // of a lane in a tile
  using lane = std::conditional_t<shape.floats, float, double>;
  static constexpr int chain_items = shape.chain != 0 ? shape.chain
                                     : shape.floats   ? vector_items<T>
                                                      : items;
  static_assert(!shape.fixed || least_level<lane>(lsb) == lsb + lane_format<lane>::precision - 1);

  struct cascade_form {
    static constexpr cascade_shape cascade = {shape.levels, detail::bit_width(chain_items) - 1,
                                              has_errors, shape.margin, shape.fixed};
    static_assert(chain_items == 1 << cascade.chain_log2);
  };

  /// The term of an element, in a lane of float32: exact.
  ONEFOLD_DEVICE static float float_term(bits a) {
    if (Accumulator == accumulator::magnitudes) a = bits(a & ~format::sign_bit);
    if constexpr (std::is_same_v<T, float>)
      return detail::from_bits<T>(a);
    else
      return float_of<T>(a);
  }
  /// The term of an element or pair; of doubles the rounded product.
  ONEFOLD_DEVICE static double term(bits a, bits b) {
    if constexpr (has_products<Accumulator>) return double_of<T>(a) * double_of<T>(b);
    if constexpr (Accumulator == accumulator::magnitudes)
      return double_of<T>(bits(a & ~format::sign_bit));
    return double_of<T>(a);
  }
  /// What the product was rounded by. Exact where errors_are_whole.
  ONEFOLD_DEVICE static double error(bits a, bits b, double product) {
    return fma(double_of<T>(a), double_of<T>(b), -product);
  }

  ONEFOLD_DEVICE static bool is_zero(bits a) { return bits(a & ~format::sign_bit) == 0; }
  ONEFOLD_DEVICE static bool is_finite(bits a) {
    return bits(a & format::infinity) != format::infinity;
  }

  /// Whether an element or pair shows that not all terms are -0. NaNs show nothing.
  ONEFOLD_DEVICE static bool is_other(bits a, bits b) {
    if constexpr (Accumulator == accumulator::products) {
      const bool minus_zero = bits((a ^ b) & format::sign_bit) != 0 && (is_zero(a) || is_zero(b));
      const bool plain = is_finite(a) && is_finite(b);
      return plain ? !minus_zero : !detail::is_nan<T>(a) && !detail::is_nan<T>(b);
    }
    return a != format::sign_bit && !detail::is_nan<T>(a);
  }
};

/// Below this magnitude the error of a product may not be a double.
inline constexpr std::uint32_t least_product_word = std::uint32_t(1023 - 960) << 20;

}  // namespace onefold::cuda
