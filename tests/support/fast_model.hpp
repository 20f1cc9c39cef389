// SPDX-License-Identifier: Apache-2.0
// The documented tree of a fast sum, as plain loops: what every target, thread count and split
// must give, bit for bit.
//
//   chunk   65536 elements; element i goes to lane i mod 64; a row that is not whole is filled
//           with -0; the 64 lanes fold by halves
//   tree    above the chunks: the largest power of two of them that leaves something, plus the rest
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/ieee.hpp"

namespace onefold::test {

/// The value of a narrow element as a float: exact.
inline float widened(f16 x) {
  const int field = x.bits >> 10 & 31, fraction = x.bits & 1023;
  const std::uint32_t sign = std::uint32_t(x.bits & 0x8000) << 16;
  if (field == 31) return std::bit_cast<float>(sign | 0x7F800000u | std::uint32_t(fraction) << 13);
  const float magnitude =
      field == 0
          ? float(fraction) * 0x1p-24f
          : std::bit_cast<float>(std::uint32_t(field + 112) << 23 | std::uint32_t(fraction) << 13);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}
inline float widened(bf16 x) {
  return std::bit_cast<float>(std::uint32_t(x.bits) << 16);
}
inline float widened(float x) {
  return x;
}
inline double widened(double x) {
  return x;
}

template <class T>
struct fast_model {
  using accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr std::size_t chunk_items = 65536, lanes = 64;

  static accumulator sum(const std::vector<T>& x) {
    if (x.empty()) return 0;
    return tree(x, 0, (x.size() + chunk_items - 1) / chunk_items);
  }

 private:
  static accumulator tree(const std::vector<T>& x, std::size_t first, std::size_t chunks) {
    if (chunks == 1) return chunk(x, first * chunk_items);
    const std::size_t left = std::bit_floor(chunks - 1);
    return tree(x, first, left) + tree(x, first + left, chunks - left);
  }

  static accumulator chunk(const std::vector<T>& x, std::size_t first) {
    accumulator lane[lanes];
    for (auto& sum : lane) sum = accumulator(-0.0);
    const std::size_t end = std::min(x.size(), first + chunk_items);
    for (std::size_t i = first; i < end; ++i) lane[(i - first) % lanes] += widened(x[i]);
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k) lane[k] += lane[k + half];
    return lane[0];
  }
};

}  // namespace onefold::test
