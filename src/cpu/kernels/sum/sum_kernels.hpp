// SPDX-License-Identifier: Apache-2.0
// The table of one SIMD target's loops.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "cpu/kernels/batched/batched.hpp"
#include "cpu/kernels/sum/cascade_window.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cpu {

inline constexpr int most_depths = 4;

/// The loops of one exact accumulator over T. y: the second factors, or null.
template <class T>
struct exact_kernels {
  /// Adds tiles of tile_items elements until one is refused; returns how many were accepted.
  /// windows: of the terms; for moments a second one, of the elements.
  using take_tiles = std::int64_t (*)(const T* x, const T* y, std::int64_t tiles,
                                      cascade_window* windows);

  int tile_items = 0;
  take_tiles take[most_depths] = {};  ///< with cascades<Accumulator, T>::depths[i] levels

  /// The bits of the tile's largest term in magnitude, as a double; for moments, of its largest
  /// element.
  std::uint64_t (*largest)(const T* x, const T* y) = nullptr;
};

/// The loops of T for every exact accumulator.
template <class T>
struct exact_accumulators {
  exact_kernels<T> magnitudes, squares, products, moments;
};

/// The sum of one chunk of integers as low + high * 2^32.
struct integer_parts {
  std::uint64_t low;
  std::int64_t high;
};
using integer_kernel = integer_parts (*)(const void* x, std::int64_t n);

/// An integer of 192 bits, lowest word first, in two's complement.
struct integer_words {
  std::uint64_t low, middle;
  std::int64_t high;
};
/// The sums of one piece of integers; a loop writes the member of its accumulator.
struct integer_totals {
  integer_words sum{}, products{};
};
using integer_term_kernel = void (*)(const void* x, const void* y, std::int64_t n,
                                     integer_totals& to);
inline constexpr int integer_types = 9;  ///< boolean … u64, by dtype
struct integer_accumulators {
  integer_term_kernel magnitudes[integer_types], squares[integer_types], products[integer_types],
      moments[integer_types];
};

/// One table for each floating type.
template <template <class> class Table>
struct by_float_type {
  Table<double> f64;
  Table<float> f32;
  Table<f16> binary16;
  Table<bf16> bfloat16;

  template <class T>
  const Table<T>& table() const {
    if constexpr (std::is_same_v<T, double>)
      return f64;
    else if constexpr (std::is_same_v<T, float>)
      return f32;
    else if constexpr (std::is_same_v<T, f16>)
      return binary16;
    else
      return bfloat16;
  }
};

/// The loops of the exact accumulators other than the sum.
struct term_table : by_float_type<exact_accumulators> {
  integer_accumulators integers;
};
struct operator_kernels;
struct column_table;
struct fast_table;
struct ordered_kernels;
struct transpose_kernels;

struct kernel_table {
  std::string_view target;
  by_float_type<exact_kernels> sums;
  integer_kernel integer[9];                    ///< by dtype, boolean … u64
  const term_table* terms = nullptr;            ///< the exact accumulators other than the sum
  const operator_kernels* operators = nullptr;  ///< extrema, counts, bitwise operators
  const column_table* columns = nullptr;        ///< strips of neighbouring columns
  const fast_table* fast = nullptr;             ///< plain sums
  const ordered_kernels* ordered = nullptr;     ///< prod, exponentials
  const transpose_kernels* turns = nullptr;     ///< transposes of small squares
  batched_kernel batched = nullptr;             ///< batched: rows, columns, segments

  template <class T>
  const exact_kernels<T>& exact() const {
    return sums.table<T>();
  }
};

}  // namespace onefold::cpu
