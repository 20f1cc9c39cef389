// SPDX-License-Identifier: Apache-2.0
// The answers of a decimal sum: rounded once to binary, as an integer, or with all digits.
#include "onefold/decimal.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "rounding/round_decimal.hpp"
#include "state/decimal_parts.hpp"

namespace onefold {
namespace {

using detail::decimal_magnitude;
using detail::float_format;
using detail::int128;
__extension__ typedef unsigned __int128 uint128;

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

// value / divisor; none where the expansion does not terminate. The divisor is below 2^63 and has
// fewer than 63 factors 2 and fewer than 63 factors 5, so an expansion that terminates does so
// within 63 places after the last place of the value.
std::optional<decimal_magnitude> divide(const decimal_magnitude& value, std::uint64_t divisor) {
  constexpr int places = 63 / limb_digits;
  decimal_magnitude quotient{value.negative, value.lowest - places,
                             std::vector<std::uint32_t>(value.limbs.size() + places)};
  uint128 rest = 0;
  for (std::size_t i = quotient.limbs.size(); i-- > 0;) {
    rest *= detail::big_decimal::base;
    if (i >= places) rest += value.limbs[i - places];
    quotient.limbs[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  if (rest != 0) return std::nullopt;
  auto& limbs = quotient.limbs;
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
  const auto lowest = std::find_if(limbs.begin(), limbs.end(), [](auto limb) { return limb != 0; });
  quotient.lowest += static_cast<int>(lowest - limbs.begin());
  limbs.erase(limbs.begin(), lowest);
  return quotient;
}

}  // namespace

std::string detail::in_full(const decimal_magnitude& value) {
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

result<std::int64_t> decimal_sum::value_i64() const try {
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
} catch (...) {
  return detail::memory_refused();
}

// The text of a sum that is NaN, infinite or -0.
std::optional<std::string> decimal_sum::word() const {
  const auto& p = *parts_;
  if (p.nans > 0 || (p.plus_infinities > 0 && p.minus_infinities > 0)) return "nan";
  if (p.plus_infinities > 0) return "inf";
  if (p.minus_infinities > 0) return "-inf";
  if (p.count > 0 && p.negative_zeros == p.count) return "-0";
  return std::nullopt;
}

std::string decimal_sum::to_string() const {
  const auto special = word();
  return special ? *special : in_full(parts_->magnitude());
}

std::optional<std::string> decimal_sum::mean_to_string() const {
  if (parts_->count == 0) return std::nullopt;
  if (auto special = word()) return special;
  const auto mean = divide(parts_->magnitude(), static_cast<std::uint64_t>(parts_->count));
  if (!mean) return std::nullopt;
  return in_full(*mean);
}

}  // namespace onefold
