// SPDX-License-Identifier: Apache-2.0
// Every pair (a, b) of a 16-bit format: a + b, and the dot product a a + a b, which cancels and has
// terms of two scales. For one a and all b, by the library through its many-answers loops and by a
// reference that shares nothing with it.
//
// The reference: both terms are doubles, exactly; their sum is rounded to odd in 53 bits (TwoSum
// decides which side is left out), and that to nearest in integers. With 53 >= 11 + 2 digits the
// second rounding is that of the exact sum.
#pragma once

#include <cstdint>
#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::test {

inline constexpr std::int64_t all_16_bit = 65536;

enum class pair_op { sum, dot };
enum class pair_layout { rows, columns };

/// What a 16-bit format is: digits, exponent of the least subnormal, the infinity, the NaN.
struct narrow_format {
  int digits, lsb;
  std::uint16_t infinity, nan;
};
template <class T>
inline constexpr narrow_format narrow_format_of = {};
template <>
inline constexpr narrow_format narrow_format_of<f16> = {11, -24, 0x7C00, 0x7E00};
template <>
inline constexpr narrow_format narrow_format_of<bf16> = {8, -133, 0x7F80, 0x7FC0};

/// x + y, rounded to odd: where it is no double, the neighbour with an odd last bit.
double sum_rounded_to_odd(double x, double y);

/// x rounded to nearest, ties to even, in integers. Precondition: x is zero, normal or no number.
std::uint16_t rounded_in_integers(double x, const narrow_format& to);

/// One a and all b: the reference's answers and the library's.
template <class T>
class pairs_of {
 public:
  pairs_of();

  /// The number of b for which the library's answer has other bits than the reference's; the first
  /// of them is in first_wrong().
  std::int64_t mismatches(std::uint16_t a, pair_op op, pair_layout layout);
  std::uint16_t first_wrong() const { return first_wrong_; }

  /// The reference's bits for one pair.
  std::uint16_t reference(std::uint16_t a, std::uint16_t b, pair_op op) const;

 private:
  void fill(std::uint16_t a, pair_op op, pair_layout layout);
  void reduce_all(pair_op op, pair_layout layout);

  std::vector<double> values_;
  std::vector<T> x_, y_, answers_;
  std::uint16_t first_wrong_ = 0;
};

}  // namespace onefold::test
