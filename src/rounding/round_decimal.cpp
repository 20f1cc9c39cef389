// SPDX-License-Identifier: Apache-2.0
// Rounding of decimals to binary by long integer multiplication and division.
#include "rounding/round_decimal.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "onefold/detail/round.hpp"

namespace onefold::detail {
namespace {

constexpr std::uint64_t limb_base = big_decimal::base;
constexpr std::size_t max_limbs = 92;

// 10^(9 * 38) / 2^63 is beyond binary64, 10^(9 * -37) below half of its smallest subnormal.
constexpr int infinite_top = 38;
constexpr int zero_top = -38;

/// A non-negative integer of 32-bit limbs, lowest first.
class binary_integer {
 public:
  std::size_t size() const { return digits_.size(); }
  std::uint32_t operator[](std::size_t i) const { return digits_[i]; }

  // this * factor + addend; factor and addend < 2^32.
  void multiply_add(std::uint64_t factor, std::uint64_t addend) {
    for (auto& digit : digits_) {
      addend += digit * factor;
      digit = static_cast<std::uint32_t>(addend);
      addend >>= 32;
    }
    if (addend != 0) digits_.push_back(static_cast<std::uint32_t>(addend));
  }

  void shift_left(std::size_t digits) { digits_.insert(digits_.begin(), digits, 0); }

  // Returns whether there is a remainder.
  bool divide(std::uint64_t divisor) {
    uint128 rest = 0;
    for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) {
      rest = rest << 32 | *digit;
      *digit = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
    return rest != 0;
  }

 private:
  __extension__ typedef unsigned __int128 uint128;
  std::vector<std::uint32_t> digits_;
};

/// floor(2^(32 shift) * value / divisor), and whether that left a remainder.
struct scaled_quotient {
  binary_integer bits;
  std::size_t shift = 0;
  bool sticky = false;
};

scaled_quotient divide(const decimal_magnitude& value, std::uint64_t divisor) {
  scaled_quotient out;
  const auto& limbs = value.limbs;
  const std::size_t cut = limbs.size() - std::min(limbs.size(), max_limbs);
  out.sticky = cut > 0;  // the lowest limb is not zero
  for (std::size_t i = limbs.size(); i > cut; --i) out.bits.multiply_add(limb_base, limbs[i - 1]);

  int power = value.lowest + static_cast<int>(cut);
  for (; power > 0; --power) out.bits.multiply_add(limb_base, 0);
  // Each division removes 30 bits, the last one 63; three more limbs leave > 64 bits.
  out.shift = (static_cast<std::size_t>(-power) * 30 + 63) / 32 + 4;
  out.bits.shift_left(out.shift);
  for (; power < 0; ++power) out.sticky |= out.bits.divide(limb_base);
  if (divisor != 1) out.sticky |= out.bits.divide(divisor);
  return out;
}

}  // namespace

template <class T>
typename float_format<T>::bits round_decimal(const decimal_magnitude& value, std::int64_t divisor) {
  const int top = value.lowest + static_cast<int>(value.limbs.size()) - 1;
  if (value.limbs.empty() || top < zero_top) return 0;
  if (top >= infinite_top) return float_format<T>::infinity;

  const auto quotient = divide(value, static_cast<std::uint64_t>(divisor));
  std::vector<std::int64_t> digits{quotient.sticky};  // one limb below the quotient
  for (std::size_t i = 0; i < quotient.bits.size(); ++i) digits.push_back(quotient.bits[i]);
  return round_magnitude<T>({digits.data(), static_cast<int>(digits.size())},
                            -32 * static_cast<int>(quotient.shift + 1));
}

template float_format<float>::bits round_decimal<float>(const decimal_magnitude&, std::int64_t);
template float_format<double>::bits round_decimal<double>(const decimal_magnitude&, std::int64_t);

}  // namespace onefold::detail
