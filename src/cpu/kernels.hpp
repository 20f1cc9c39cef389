// SPDX-License-Identifier: Apache-2.0
// The hot loops of one SIMD target, as a table of functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "cpu/cascade_window.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cpu {

/// What one prefetch brings.
inline constexpr std::size_t cache_line_bytes = 64;

/// How many levels a type's cascade has, cheapest first; a tile that fails at one goes to the next.
template <class T>
struct cascade_levels;
template <>
struct cascade_levels<double> {
  static constexpr int counts[] = {2, 4, 6};
};
template <>
struct cascade_levels<float> {
  static constexpr int counts[] = {1, 2, 4, 6};
};
template <>
struct cascade_levels<bf16> {
  static constexpr int counts[] = {1, 2, 4, 6};
};
template <>
struct cascade_levels<f16> {
  static constexpr int counts[] = {1};  // one level holds every finite f16
};

/// The loops of an exact sum of T.
template <class T>
struct exact_kernels {
  static constexpr int depths = int(std::size(cascade_levels<T>::counts));

  int tile_items = 0;

  /// Takes tiles of tile_items elements until one is refused; returns how many were taken.
  using take_tiles = std::int64_t (*)(const T* x, std::int64_t tiles, cascade_window& window);
  take_tiles take[depths] = {};  ///< with cascade_levels<T>::counts[i] levels

  /// The bits of the largest magnitude of one tile.
  std::uint64_t (*largest_magnitude)(const T* x) = nullptr;
};

/// A fast sum of one chunk, in 64 virtual lanes whatever the target.
template <class T, class Accumulator>
using fast_kernel = Accumulator (*)(const T* x, std::int64_t n);

/// The sum of one chunk of integers as low + high * 2^32.
struct integer_parts {
  std::uint64_t low;
  std::int64_t high;
};
using integer_kernel = integer_parts (*)(const void* x, std::int64_t n);

struct kernel_table {
  std::string_view target;
  exact_kernels<double> exact_f64;
  exact_kernels<float> exact_f32;
  exact_kernels<f16> exact_f16;
  exact_kernels<bf16> exact_bf16;
  fast_kernel<double, double> fast_f64;
  fast_kernel<float, float> fast_f32;
  fast_kernel<f16, float> fast_f16;
  fast_kernel<bf16, float> fast_bf16;
  integer_kernel integer[9];  ///< by dtype, boolean … u64

  template <class T>
  const exact_kernels<T>& exact() const;
  template <class T>
  auto fast() const;
};

template <>
inline const exact_kernels<double>& kernel_table::exact<double>() const {
  return exact_f64;
}
template <>
inline const exact_kernels<float>& kernel_table::exact<float>() const {
  return exact_f32;
}
template <>
inline const exact_kernels<f16>& kernel_table::exact<f16>() const {
  return exact_f16;
}
template <>
inline const exact_kernels<bf16>& kernel_table::exact<bf16>() const {
  return exact_bf16;
}

template <>
inline auto kernel_table::fast<double>() const {
  return fast_f64;
}
template <>
inline auto kernel_table::fast<float>() const {
  return fast_f32;
}
template <>
inline auto kernel_table::fast<f16>() const {
  return fast_f16;
}
template <>
inline auto kernel_table::fast<bf16>() const {
  return fast_bf16;
}

}  // namespace onefold::cpu
