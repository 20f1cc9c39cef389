// SPDX-License-Identifier: Apache-2.0
// The state of a product: multiplication of double-word numbers, merging, validation.
#include "onefold/detail/product.hpp"

namespace onefold::detail {
namespace {

constexpr int bias = 1023;
using format = float_format<double>;

int field_of(double x) {
  return int((to_bits(x) & format::infinity) >> format::fraction_bits);
}

double power_of_two(int exponent) {
  return from_bits<double>(std::uint64_t(exponent + bias) << format::fraction_bits);
}

// The exponents of fewer than 2^51 elements stay below 2^62; forged states must not overflow
// either.
std::int64_t add_exponents(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::int64_t(1) << 62;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? -most : most;
  return sum > most ? most : sum < -most ? -most : sum;
}

}  // namespace

scaled_pair normalised(const scaled_pair& x) noexcept {
  const int k = field_of(x.high) - bias;
  const double down = power_of_two(-k);
  return {x.high * down, x.low * down, add_exponents(x.exponent, k)};
}

scaled_pair multiply(const scaled_pair& a, const scaled_pair& b) noexcept {
  const double first = a.high * b.high;
  const double error = __builtin_fma(a.high, b.high, -first);  // first + error == a.high b.high
  const double both_low = a.low * b.low;
  const double one_low = __builtin_fma(a.high, b.low, both_low);
  const double rest = error + __builtin_fma(a.low, b.high, one_low);
  const double high = first + rest;
  const double low = rest - (high - first);  // high + low == first + rest
  return normalised({high, low, add_exponents(a.exponent, b.exponent)});
}

void product::append(const product& next) noexcept {
  if (next.form_ == product_form::nothing) return;
  if (form_ == product_form::nothing) {
    *this = next;
    return;
  }
  count_ += next.count_, nans_ += next.nans_;
  if (form_ == product_form::floats) {
    zero_ |= next.zero_, infinite_ |= next.infinite_;
    pair_ = multiply(pair_, next.pair_);
  } else if (form_ == product_form::wrapped) {
    magnitude_ *= next.magnitude_;
  } else {
    // A magnitude is 0 or at least 1, so a magnitude beyond 64 bits stays beyond them unless a zero
    // comes.
    std::uint64_t magnitude = 0;
    const bool zero = zero_ || next.zero_;
    const bool over = __builtin_mul_overflow(magnitude_, next.magnitude_, &magnitude);
    const bool past = !zero && (over || beyond_ || next.beyond_);
    *this = of_integers(count_, zero ? 0 : magnitude, negative_ != next.negative_, past);
  }
}

namespace {

bool plausible_pair(double high, double low, std::int64_t exponent, std::int64_t finite) {
  // Finite magnitudes are in [2^-1074, 2^1024).
  if (field_of(high) != bias || exponent < -1075 * finite || exponent > 1025 * finite) return false;
  const double magnitude = high < 0 ? -high : high, rest = high < 0 ? -low : low;
  return field_of(low) != format::max_field && magnitude + rest == magnitude;
}

}  // namespace

bool product::plausible(const std::int64_t (&word)[words], dtype input) noexcept {
  const auto [count, nans, exponent, high_bits, low_bits, magnitude, notes] = word;
  constexpr std::int64_t capacity = std::int64_t(1) << 51;
  if (count < 0 || count >= capacity || nans < 0 || nans > count) return false;
  if (notes < 0 || notes >= 64) return false;
  const auto form = product_form(notes >> 4);
  const bool zero = (notes & 1) != 0, infinite = (notes & 2) != 0, negative = (notes & 4) != 0,
             beyond = (notes & 8) != 0;
  const double high = from_bits<double>(std::uint64_t(high_bits));
  const double low = from_bits<double>(std::uint64_t(low_bits));
  const bool no_pair = exponent == 0 && to_bits(high) == to_bits(1.0) && low_bits == 0;
  const bool no_integer = magnitude == 1 && !negative && !beyond;
  if (form == product_form::nothing)
    return count == 0 && no_pair && no_integer && !zero && !infinite;
  if (count == 0) return false;
  if (form == product_form::floats) {
    if (!is_floating(input) || !no_integer || count - nans < int(zero) + int(infinite))
      return false;
    return plausible_pair(high, low, exponent, count - nans);
  }
  if (is_floating(input) || nans != 0 || !no_pair || infinite) return false;
  if (form == product_form::wrapped) return !zero && !negative && !beyond;
  if (zero || beyond) return !(zero && beyond) && magnitude == 0 && !negative;
  return magnitude != 0 && (!negative || is_signed_integer(input));
}

}  // namespace onefold::detail
