// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of whole arrays of floats, chunk by chunk: the CPU's operations in the CPU's order, so
// the CPU's bits (docs/numerics/product.md). The tree above the chunks is the host's.
//
// Element i of a chunk goes to virtual lane i mod 64: a pair (high, low) that is multiplied by
// significands, and an exponent. Every 32 rows, and behind the last one, the pair goes back to
// [1, 2).

#include "cuda/ordered/chunks.cuh"

namespace onefold::cuda {

/// One virtual lane.
class product_lane {
 public:
  ONEFOLD_DEVICE void multiply(double x) {
    auto bits = __builtin_bit_cast(std::uint64_t, x);
    if (field_of(bits) == 0 || field_of(bits) == 2047) bits = note_special(x);
    exponent_ += field_of(bits) - 1023;
    const double m = significand_of(bits), first = high_ * m;
    const double error = fma(high_, m, -first);
    set_sum(first, fma(low_, m, error));
  }

  ONEFOLD_DEVICE void normalise() {
    const auto bits = __builtin_bit_cast(std::uint64_t, high_);
    exponent_ += field_of(bits) - 1023;
    low_ *= __builtin_bit_cast(double, std::uint64_t(2046 - field_of(bits)) << 52);
    high_ = significand_of(bits);
  }

  ONEFOLD_DEVICE void append(const product_lane& y) {
    const double first = high_ * y.high_, error = fma(high_, y.high_, -first);
    const double one_low = fma(high_, y.low_, low_ * y.low_);
    set_sum(first, error + fma(low_, y.high_, one_low));
    exponent_ += y.exponent_, nans_ += y.nans_, seen_ |= y.seen_;
  }

  ONEFOLD_DEVICE product_lane behind(unsigned step) const {
    product_lane other;
    other.high_ = __shfl_down_sync(whole_warp, high_, step);
    other.low_ = __shfl_down_sync(whole_warp, low_, step);
    other.exponent_ = __shfl_down_sync(whole_warp, exponent_, step);
    other.nans_ = __shfl_down_sync(whole_warp, nans_, step);
    other.seen_ = __shfl_down_sync(whole_warp, seen_, step);
    return other;
  }

  ONEFOLD_DEVICE void write(std::int64_t* to) const {
    to[0] = word_of_number(high_), to[1] = word_of_number(low_);
    to[2] = exponent_, to[3] = nans_, to[4] = seen_;
  }
  ONEFOLD_DEVICE void read(const std::int64_t* from) {
    high_ = __builtin_bit_cast(double, from[0]), low_ = __builtin_bit_cast(double, from[1]);
    exponent_ = from[2], nans_ = int(from[3]), seen_ = int(from[4]);
  }
  static constexpr int words = 5;

 private:
  static constexpr std::uint64_t infinity = detail::float_format<double>::infinity;
  static constexpr std::uint64_t one = std::uint64_t(1023) << 52;
  enum : int { zero = 1, infinite = 2 };

  ONEFOLD_DEVICE static int field_of(std::uint64_t bits) { return int(bits >> 52 & 2047); }
  ONEFOLD_DEVICE static double significand_of(std::uint64_t bits) {
    return __builtin_bit_cast(double, (bits & ~infinity) | one);
  }
  // high + low == a + b exactly, for |a| >= |b|.
  ONEFOLD_DEVICE void set_sum(double a, double b) {
    high_ = a + b;
    low_ = b - (high_ - a);
  }
  // Of zeros and infinities the sign counts, of a subnormal its significand too, of a NaN nothing.
  ONEFOLD_DEVICE std::uint64_t note_special(double x) {
    const auto bits = __builtin_bit_cast(std::uint64_t, x);
    const std::uint64_t magnitude = bits & ~(std::uint64_t(1) << 63);
    if (magnitude > infinity) return ++nans_, one;
    if (magnitude != 0 && magnitude != infinity)
      return exponent_ -= 64, __builtin_bit_cast(std::uint64_t, x * 0x1p64);
    seen_ |= magnitude == 0 ? int(zero) : int(infinite);
    return one | (bits & std::uint64_t(1) << 63);
  }

  double high_ = 1, low_ = 0;
  std::int64_t exponent_ = 0;
  int nans_ = 0, seen_ = 0;
};

inline constexpr int product_rows = 32;  // between two normalisations

/// The lane's share of a chunk.
template <class T>
ONEFOLD_DEVICE product_lane product_of_lane(const T* x, std::int64_t count) {
  product_lane mine;
  const T* const from = x + threadIdx.x;
  const auto element = [&](std::int64_t row) {
    return double_of<T>(bits_at(from + row * std::int64_t(virtual_lanes)));
  };
  const std::int64_t rows = count / virtual_lanes;
  std::int64_t row = 0;
  ONEFOLD_ROLLED
  while (row + product_rows <= rows) {
    ONEFOLD_ROLLED
    for (const std::int64_t end = row + product_rows; row < end; row += 8) {
      double next[8];
      ONEFOLD_UNROLL
      for (int i = 0; i < 8; ++i) next[i] = element(row + i);
      ONEFOLD_UNROLL
      for (int i = 0; i < 8; ++i) mine.multiply(next[i]);
    }
    mine.normalise();
  }
  if (row < rows) {
    ONEFOLD_ROLLED
    for (; row < rows; ++row) mine.multiply(element(row));
    mine.normalise();
  }
  if (count % virtual_lanes != 0) {
    mine.multiply(threadIdx.x < count % virtual_lanes ? element(rows) : 1.0);
    mine.normalise();
  }
  return mine;
}

/// Shape:  x[n], n > 0, aligned to T; parts[chunks * product_lane::words]; a block has
///         virtual_lanes threads; any grid.
/// Error:  docs/numerics/product.md.
/// Order:  the CPU's: parts have the bits of its products of chunks, in any grid.
template <class T>
__global__ void __launch_bounds__(virtual_lanes)
    product_chunks(const T* x, std::int64_t n, std::int64_t* parts) {
  constexpr unsigned half = virtual_lanes / 2;
  __shared__ std::int64_t upper[half * product_lane::words];
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  ONEFOLD_ROLLED
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const std::int64_t first = c * tuning::chunk_items;
    product_lane mine = product_of_lane(x + first, min(n - first, tuning::chunk_items));
    if (threadIdx.x >= half) mine.write(upper + (threadIdx.x - half) * product_lane::words);
    __syncthreads();
    if (threadIdx.x < half) {
      product_lane other;
      other.read(upper + threadIdx.x * product_lane::words);
      mine.append(other);
      for (unsigned step = half / 2; step > 0; step /= 2) mine.append(mine.behind(step));
      if (threadIdx.x == 0) mine.write(parts + c * product_lane::words);
    }
    __syncthreads();
  }
}

}  // namespace onefold::cuda
