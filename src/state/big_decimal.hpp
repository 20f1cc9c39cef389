// SPDX-License-Identifier: Apache-2.0
// An exact sum of decimals of any length and exponent: a big integer with limbs in base 10^9.
//
//   value = sum limbs[i] * 10^(9 (lowest + i)),   each limb a signed 64-bit integer
//
// Adding a number changes each limb that it touches by less than 2 * 10^9 and carries nowhere, so
// additions commute. Carries are propagated once in 2^31 additions and at the end. The window
// [lowest, lowest + size) grows with the numbers: at most 4 MB under the limits of decimal.hpp.
// decimal_sum keeps the signs of zero, the infinities and the counts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace onefold::detail {

__extension__ typedef __int128 int128;

/// A value as sign and magnitude: limbs in [0, 10^9), lowest first, without zero limbs at either
/// end. Zero has no limbs and no sign.
struct decimal_magnitude {
  bool negative = false;
  int lowest = 0;  ///< limbs[i] has the weight 10^(9 (lowest + i))
  std::vector<std::uint32_t> limbs;
};

class big_decimal {
 public:
  static constexpr int limb_digits = 9;
  static constexpr std::int64_t base = 1'000'000'000;

  /// Adds mantissa * 10^exponent.
  void add(int128 mantissa, int exponent);
  /// Adds +-(whole fraction) * 10^(exponent - size of fraction); both strings hold decimal digits
  /// only.
  void add_digits(bool negative, std::string_view whole, std::string_view fraction, int exponent);
  void merge(const big_decimal& other);
  decimal_magnitude magnitude() const;

 private:
  void deposit();
  void reach(int first, int last);
  void carry();

  std::vector<std::int64_t> limbs_;
  int lowest_ = 0;
  std::int64_t deposits_ = 0;  // |limb| < (deposits_ + 1) * 2 * 10^9
};

}  // namespace onefold::detail
