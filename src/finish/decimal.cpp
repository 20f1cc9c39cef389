// SPDX-License-Identifier: Apache-2.0
// The answers of a decimal sum: rounded once to binary, as an integer, or in full.
#include "onefold/decimal.hpp"

#include <limits>

#include "finish/round_decimal.hpp"
#include "state/decimal_parts.hpp"

namespace onefold {
namespace {

using detail::decimal_magnitude;
using detail::float_format;
using detail::int128;

constexpr int limb_digits = detail::big_decimal::limb_digits;

// All digits of the limbs, without leading zeros.
std::string digits_of(const decimal_magnitude& value) {
  std::string digits;
  for (auto limb = value.limbs.rbegin(); limb != value.limbs.rend(); ++limb) {
    const auto part = std::to_string(*limb);
    if (!digits.empty()) digits.append(limb_digits - part.size(), '0');
    digits += part;
  }
  return digits;
}

std::string in_full(const decimal_magnitude& value) {
  if (value.limbs.empty()) return "0";
  std::string digits = digits_of(value);
  if (value.lowest >= 0) {
    digits.append(static_cast<std::size_t>(value.lowest) * limb_digits, '0');
  } else {
    const auto places = static_cast<std::size_t>(-value.lowest) * limb_digits;
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    digits.insert(digits.size() - places, 1, '.');
    digits.erase(digits.find_last_not_of('0') + 1);  // the lowest limb is not zero: a digit stays
  }
  return (value.negative ? "-" : "") + digits;
}

}  // namespace

template <class T>
T decimal_sum::quotient(std::int64_t divisor) const {
  using format = float_format<T>;
  const auto& p = *parts_;
  if (p.nans > 0 || (p.plus_infinities > 0 && p.minus_infinities > 0))
    return detail::from_bits<T>(format::quiet_nan);
  if (p.plus_infinities > 0) return detail::from_bits<T>(format::infinity);
  if (p.minus_infinities > 0) return detail::from_bits<T>(format::infinity | format::sign_bit);
  const auto value = p.magnitude();
  const bool negative = value.negative || (p.count > 0 && p.negative_zeros == p.count);
  const auto bits = detail::round_decimal<T>(value, divisor);
  return detail::from_bits<T>(negative ? bits | format::sign_bit : bits);
}

double decimal_sum::value() const {
  return quotient<double>(1);
}

float decimal_sum::value_f32() const {
  return quotient<float>(1);
}

double decimal_sum::mean() const {
  if (count() == 0) return detail::from_bits<double>(float_format<double>::quiet_nan);
  return quotient<double>(count());
}

float decimal_sum::mean_f32() const {
  if (count() == 0) return detail::from_bits<float>(float_format<float>::quiet_nan);
  return quotient<float>(count());
}

result<std::int64_t> decimal_sum::value_i64() const {
  if (!all_integers())
    return {status_code::unsupported,
            "a number was not written as an integer; take value() or to_string()"};
  const auto value = parts_->magnitude();
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const int128 limit = int128(largest) + value.negative;
  int128 sum = 0;
  for (int i = value.lowest + static_cast<int>(value.limbs.size()) - 1; i >= 0; --i) {
    sum *= detail::big_decimal::base;
    if (i >= value.lowest) sum += value.limbs[static_cast<std::size_t>(i - value.lowest)];
    if (sum > limit)
      return {status_code::overflow, "the number does not fit i64; take value() or to_string()"};
  }
  return static_cast<std::int64_t>(value.negative ? -sum : sum);
}

std::string decimal_sum::to_string() const {
  const auto& p = *parts_;
  if (p.nans > 0 || (p.plus_infinities > 0 && p.minus_infinities > 0)) return "nan";
  if (p.plus_infinities > 0) return "inf";
  if (p.minus_infinities > 0) return "-inf";
  if (p.count > 0 && p.negative_zeros == p.count) return "-0";
  return in_full(p.magnitude());
}

}  // namespace onefold
