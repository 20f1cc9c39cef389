// SPDX-License-Identifier: Apache-2.0
// Blocks of many outputs over one array of ragged rows, and what each output must be.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "cpu/kernels/batched/batched.hpp"
#include "runtime/float_environment.hpp"
#include "support/elements.hpp"
#include "support/oracle.hpp"

namespace onefold::test {

/// The exact sum of terms as an integer times a power of two; special values and signs of zeros by
/// their definition.
struct exact_total {
  mpz_class total;
  int exponent = 0;
  std::int64_t count = 0;
  bool nan = false, plus_infinity = false, minus_infinity = false, only_minus_zeros = true;

  template <class Out>
  bits_of<Out> special() const {
    using format = ieee<Out>;
    if (nan || (plus_infinity && minus_infinity)) return format::nan;
    return plus_infinity ? format::infinity : bits_of<Out>(format::infinity | format::sign);
  }
  bool is_special() const { return nan || plus_infinity || minus_infinity; }

  template <class Out>
  bits_of<Out> zero() const {
    return count > 0 && only_minus_zeros ? ieee<Out>::sign : bits_of<Out>(0);
  }

  template <class Out>
  bits_of<Out> sum() const {
    if (is_special()) return special<Out>();
    return total == 0 ? zero<Out>() : rounded<Out>(total, exponent);
  }

  // A quotient or root to far more bits than any format has, and whether anything follows.
  template <class Out>
  bits_of<Out> with_sticky(const mpz_class& head, bool more, int at) const {
    const mpz_class magnitude = 2 * abs(head) + (more ? 1 : 0);
    return rounded<Out>(head < 0 || total < 0 ? -magnitude : magnitude, at - 1);
  }
  template <class Out>
  bits_of<Out> mean() const {
    if (count == 0) return ieee<Out>::nan;
    if (is_special()) return special<Out>();
    if (total == 0) return zero<Out>();
    const mpz_class shifted = abs(total) << 256, size = mpz_class(std::to_string(count));
    return with_sticky<Out>(shifted / size, shifted % size != 0, exponent - 256);
  }
  template <class Out>
  bits_of<Out> root() const {
    if (is_special()) return special<Out>();
    if (total == 0) return zero<Out>();
    const int shift = 256 + (exponent & 1);
    const mpz_class shifted = total << shift, root = sqrt(shifted);
    return with_sticky<Out>(root, root * root != shifted, (exponent - shift) / 2);
  }
};

/// An element as an integer in units of its format's last bit.
template <class T>
mpz_class units(T x) {
  oracle<T> one;
  one.add_one_by_one(&x, 1);
  return one.total();
}

template <class T>
exact_total total_of(op op, const T* x, const T* y, std::int64_t n) {
  const bool product = op == op::sumsq || op == op::norm2 || op == op::dot;
  exact_total sum;
  sum.exponent = ieee<T>::lsb * (product ? 2 : 1), sum.count = n;
  for (std::int64_t i = 0; i < n; ++i) {
    T a = x[i];
    if (op == op::norm1) a = as_float<T>(magnitude_bits(a));
    const T b = op == op::dot ? y[i] : a;
    const bool minus = product ? ((as_bits(a) ^ as_bits(b)) & ieee<T>::sign) != 0
                               : (as_bits(a) & ieee<T>::sign) != 0;
    const auto top = ieee<T>::infinity;
    const auto largest = std::max(magnitude_bits(a), product ? magnitude_bits(b) : bits_of<T>(0));
    const bool zero = magnitude_bits(a) == 0 || (product && magnitude_bits(b) == 0);
    if (!(minus && zero)) sum.only_minus_zeros = false;
    if (largest > top || (largest == top && zero))
      sum.nan = true;
    else if (largest == top)
      (minus ? sum.minus_infinity : sum.plus_infinity) = true;
    else
      sum.total += product ? mpz_class(units(a) * units(b)) : units(a);
  }
  return sum;
}

template <class Out>
bits_of<Out> answer(op op, const exact_total& sum) {
  if (op == op::mean) return sum.mean<Out>();
  return op == op::norm2 ? sum.root<Out>() : sum.sum<Out>();
}

/// Ragged rows of elements, one after another.
template <class T>
struct ragged {
  std::vector<T> x, y;
  std::vector<std::int64_t> offsets = {0};

  std::int64_t rows() const { return std::int64_t(offsets.size()) - 1; }
  std::int64_t size(std::int64_t k) const { return offsets[k + 1] - offsets[k]; }
};

struct batched_result {
  std::vector<std::byte> out;
  std::vector<unsigned char> ambiguous;
  std::int64_t reported = 0;
};

inline batched_result run(cpu::batched_kernel kernel, cpu::batched_block block) {
  batched_result result;
  result.out.resize(std::size_t(block.outputs) * size_bytes(block.request.output) + 1);
  result.ambiguous.resize(std::size_t(block.outputs));
  block.out = result.out.data();
  block.ambiguous = result.ambiguous.data();
  const float_environment sound;
  result.reported = kernel(block);
  return result;
}

template <class Out>
bits_of<Out> output(const batched_result& result, std::int64_t k) {
  bits_of<Out> bits;
  std::memcpy(&bits, result.out.data() + k * std::int64_t(sizeof bits), sizeof bits);
  return bits;
}

template <class T>
cpu::batched_block segments_of(const ragged<T>& from, const cpu::batched_request& request) {
  cpu::batched_block block;
  block.request = request, block.request.shape = cpu::batched_shape::segments;
  block.x = reinterpret_cast<const std::byte*>(from.x.data());
  block.y = reinterpret_cast<const std::byte*>(from.y.data());
  block.offsets = from.offsets.data(), block.outputs = from.rows();
  return block;
}

/// Rows of one size, `gap` elements apart.
template <class T>
cpu::batched_block rows_of(const std::vector<T>& x, const std::vector<T>& y, std::int64_t rows,
                           std::int64_t n, std::int64_t gap, const cpu::batched_request& request) {
  cpu::batched_block block;
  block.request = request, block.request.shape = cpu::batched_shape::rows;
  block.x = reinterpret_cast<const std::byte*>(x.data());
  block.y = reinterpret_cast<const std::byte*>(y.data());
  block.outputs = rows, block.n = n;
  block.stride = block.y_stride = (n + gap) * std::int64_t(sizeof(T));
  return block;
}

}  // namespace onefold::test
