// SPDX-License-Identifier: Apache-2.0
// The table of one SIMD target's loops of fast reductions: one chunk to its sum or its moments.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/dtype.hpp"
#include "state/fast_parts.hpp"

namespace onefold::cpu {

/// Fast reductions of one chunk, in 64 virtual lanes on every target. The pointers are to n
/// elements of the entry's type; only products read y. Precondition: 1 <= n <= chunk_items.
template <class Accumulator>
struct fast_kernels {
  using sum = Accumulator (*)(const void* x, const void* y, std::int64_t n);
  /// Moments of integers are doubles.
  using wide = std::conditional_t<std::is_integral_v<Accumulator>, double, Accumulator>;

  sum total = nullptr, magnitudes = nullptr, squares = nullptr, products = nullptr;
  fast_moments<wide> (*moments)(const void* x, std::int64_t n) = nullptr;
};

struct fast_table {
  fast_kernels<std::uint64_t> integers[9];  ///< by dtype, boolean … u64
  fast_kernels<float> of_f16, of_bf16, of_f32;
  fast_kernels<double> of_f64;

  /// Calls f with the kernels of an element type.
  template <class F>
  auto with_row(dtype type, F&& f) const {
    switch (type) {
    case dtype::f16:
      return f(of_f16);
    case dtype::bf16:
      return f(of_bf16);
    case dtype::f32:
      return f(of_f32);
    case dtype::f64:
      return f(of_f64);
    default:
      return f(integers[static_cast<int>(type)]);
    }
  }
};

}  // namespace onefold::cpu
