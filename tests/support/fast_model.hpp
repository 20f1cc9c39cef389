// SPDX-License-Identifier: Apache-2.0
// The documented tree of a fast reduction, as plain loops: what every target, thread count and
// split must give, bit for bit.
//
//   chunk   65536 elements; the term of element i (x, |x|, x * y) goes to lane i mod 64, each
//           lane from -0; the 64 lanes fold by halves
//   moments of a chunk: the mean by the sum of distances from the first element, then the sum of
//           squared distances from the mean; chunks join by Chan's formula
//   tree    above the chunks: the largest power of two of them that leaves something, plus the rest
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "onefold/dtype.hpp"
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

/// A bool as memory holds it: any byte but zero counts.
struct bool_byte {
  unsigned char byte = 0;
};
template <class T>
inline constexpr dtype dtype_in_memory = dtype_of<T>;
template <>
inline constexpr dtype dtype_in_memory<bool_byte> = dtype::boolean;

inline std::uint64_t widened(bool_byte x) {
  return x.byte != 0;
}
template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
std::uint64_t widened(T x) {
  return std::uint64_t(std::int64_t(x));
}

inline std::uint64_t magnitude(std::uint64_t x) {
  return std::int64_t(x) < 0 ? 0 - x : x;
}
inline float magnitude(float x) {
  return std::fabs(x);
}
inline double magnitude(double x) {
  return std::fabs(x);
}

template <class T>
struct fast_model {
  using accumulator = decltype(widened(T()));
  using wide = std::conditional_t<std::is_integral_v<accumulator>, double, accumulator>;
  using elements = std::vector<T>;
  static constexpr std::size_t chunk_items = 65536, lanes = 64;

  static accumulator sum(const elements& x) {
    return sum_of(x.size(), [&](std::size_t i) { return widened(x[i]); });
  }
  static accumulator magnitudes(const elements& x) {
    if constexpr (std::is_unsigned_v<T>) return sum(x);
    return sum_of(x.size(), [&](std::size_t i) { return magnitude(widened(x[i])); });
  }
  static accumulator products(const elements& x, const elements& y) {
    return sum_of(x.size(), [&](std::size_t i) { return widened(x[i]) * widened(y[i]); });
  }

  struct moments_parts {
    std::int64_t count = 0;
    wide mean = 0, squares = 0;
  };
  static moments_parts moments(const elements& x) {
    if (x.empty()) return {};
    return tree(
        x.size(), [&](std::size_t first, std::size_t n) { return centred(&x[first], n); }, chan);
  }

 private:
  template <class Chunk, class Join>
  static auto tree(std::size_t n, const Chunk& chunk, const Join& join, std::size_t first = 0)
      -> decltype(chunk(0, 0)) {
    const std::size_t chunks = (n - first + chunk_items - 1) / chunk_items;
    if (chunks == 1) return chunk(first, n - first);
    const std::size_t middle = first + std::bit_floor(chunks - 1) * chunk_items;
    return join(tree(middle, chunk, join, first), tree(n, chunk, join, middle));
  }

  template <class Term>
  static accumulator sum_of(std::size_t n, const Term& term) {
    if (n == 0) return 0;
    return tree(
        n,
        [&](std::size_t first, std::size_t items) {
          return in_lanes<accumulator>(items, [&](std::size_t i) { return term(first + i); });
        },
        [](accumulator left, accumulator right) { return accumulator(left + right); });
  }

  template <class Number, class Term>
  static Number in_lanes(std::size_t n, const Term& term) {
    Number lane[lanes];
    for (auto& sum : lane) sum = Number(-0.0);
    for (std::size_t i = 0; i < n; ++i) lane[i % lanes] += term(i);
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k) lane[k] += lane[k + half];
    return lane[0];
  }

  static wide number(T x) {
    if constexpr (std::is_unsigned_v<T> || std::is_same_v<T, bool_byte>)
      return wide(widened(x));
    else if constexpr (std::is_integral_v<T>)
      return wide(x);
    else
      return widened(x);
  }

  static moments_parts centred(const T* x, std::size_t n) {
    const wide first = number(x[0]);
    const wide shifted = in_lanes<wide>(n, [&](std::size_t i) { return number(x[i]) - first; });
    const wide mean = first + shifted / wide(n);
    if (!std::isfinite(mean)) return {std::int64_t(n), mean, wide(NAN)};
    return {std::int64_t(n), mean, in_lanes<wide>(n, [&](std::size_t i) {
              const wide distance = number(x[i]) - mean;
              return distance * distance;
            })};
  }

  static moments_parts chan(const moments_parts& a, const moments_parts& b) {
    const double share = double(b.count) / double(a.count + b.count);
    const wide step = b.mean - a.mean, weight = wide(double(a.count) * share);
    return {a.count + b.count, wide(a.mean + step * wide(share)),
            wide((a.squares + b.squares) + (step * step) * weight)};
  }
};

}  // namespace onefold::test
