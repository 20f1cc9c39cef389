// SPDX-License-Identifier: Apache-2.0
#pragma once
// A virtual lane of a product of floats: the CPU's operations, so the CPU's bits
// (docs/numerics/product.md). A pair (high, low) is multiplied by significands, with a separate
// exponent. Every 32 rows, and after the last one, the pair is scaled back to [1, 2).

#include "cuda/primitives/lanes.cuh"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

inline constexpr int product_rows = 32;  // between two normalisations

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

}  // namespace onefold::cuda
