// SPDX-License-Identifier: Apache-2.0
// A fast parser of one decimal number: eight digits a step, in ordinary 64-bit registers.
//
// Eight characters xor '0' have the digits 0..9 as bytes; the first byte beyond 9 ends the run.
// Shifting the run to the top of the word puts zeros in front of it, and three multiplications
// combine the eight digits in pairs, fours and all. There is no loop over digits and no branch on
// their number. A point inside the word is removed by a mask and a shift.
// Numbers outside the common forms (long numbers, words, "5.", errors) are left to
// onefold::decimal_sum::add.
// Source: D. Lemire, "Number parsing at a gigabyte per second", arXiv 2101.11408, section 6.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace onefold::program {

constexpr bool is_blank(char c) {
  return c == ' ' || static_cast<unsigned char>(c - '\t') < 5;
}

/// The number of bytes that scan_number may read from its start: a sign, the digits on both sides
/// of the point (three words and one over each), an exponent.
inline constexpr std::ptrdiff_t scan_reach = 80;

/// +-mantissa * 10^-scale, with at most 19 digits.
struct scanned_number {
  std::uint64_t mantissa = 0;
  int scale = 0;
  bool negative = false;
  bool exponent = false;      ///< written with an exponent
  const char* end = nullptr;  ///< the blank after it
};

/// The value of eight digits, each a byte 0..9, the first in the lowest byte.
constexpr std::uint64_t eight_digits(std::uint64_t word) {
  word = word * 10 + (word >> 8);  // bytes 0, 2, 4, 6 hold the pairs; the others are masked off
  constexpr std::uint64_t mask = 0x000000FF000000FF;
  return (((word & mask) * (100 + (std::uint64_t(1000000) << 32))) +
          (((word >> 16) & mask) * (1 + (std::uint64_t(10000) << 32)))) >>
         32;
}

/// Eight characters as digit values, the first in the lowest byte, and a mask of the non-digits.
struct digit_word {
  std::uint64_t digits;
  std::uint64_t others;  ///< 0x80 in each such byte; exact up to the first byte beyond ASCII

  explicit digit_word(const char* p) {
    std::memcpy(&digits, p, sizeof digits);
    if constexpr (std::endian::native == std::endian::big) digits = __builtin_bswap64(digits);
    digits ^= 0x3030303030303030;
    // A byte beyond 9 gets its high bit; a carry out of it would take a byte beyond 0x89.
    others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
  }
  /// The index of the first byte that is not a digit. Precondition: there is one.
  int end() const { return std::countr_zero(others) >> 3; }
};

/// The value of the first `count` bytes of the word, 0 <= count < 8: never a shift by 64.
constexpr std::uint64_t first_digits(std::uint64_t word, int count) {
  return eight_digits(word << 8 << (56 - 8 * count));
}

/// Adds the digits at p to the value, at most 24 of them (more than any caller accepts), and
/// returns the first character after them.
inline const char* scan_digits(const char* p, std::uint64_t& value) {
  constexpr std::uint64_t powers[] = {1,       10,        100,        1'000,      10'000,
                                      100'000, 1'000'000, 10'000'000, 100'000'000};
  for (int words = 0; words < 3; ++words, p += 8) {
    const digit_word word(p);
    if (word.others != 0) {
      value = value * powers[word.end()] + first_digits(word.digits, word.end());
      return p + word.end();
    }
    value = value * powers[8] + eight_digits(word.digits);
  }
  return p;
}

/// Reads an unsigned number of at most seven characters, with a point or without, from one word.
/// The dependency chain to the next number is one load and ten operations; scan_digits on both
/// sides of the point takes twice that (prices: 770 MB/s against 510).
inline bool scan_short(const char* p, scanned_number& out) {
  digit_word word(p);
  if (word.others == 0) return false;
  const int point = word.end();
  int digits = point;
  if (p[point] == '.') {
    word.others &= word.others - 1;
    if (word.others == 0) return false;
    digits = word.end() - 1;
    if (digits == point) return false;
    const std::uint64_t whole = (std::uint64_t(1) << 8 * point) - 1;
    word.digits = (word.digits & whole) | ((word.digits >> 8) & ~whole);
  }
  const char* const end = p + word.end();
  if (point == 0 || !is_blank(*end)) return false;
  out.mantissa = first_digits(word.digits, digits);
  out.scale = digits - point;
  out.end = end;
  return true;
}

/// Reads the exponent after an 'e', at most three digits; a fourth is left, and the caller refuses
/// it. Returns null if there is no digit.
inline const char* scan_exponent(const char* p, int& exponent) {
  const bool negative = *p == '-';
  p += *p == '-' || *p == '+';
  const char* first = p;
  int value = 0;
  for (; p - first < 3 && *p >= '0' && *p <= '9'; ++p) value = value * 10 + (*p - '0');
  exponent = negative ? -value : value;
  return p == first ? nullptr : p;
}

/// Reads the number at p. False: not a plain number of at most 19 digits that a blank ends.
/// Precondition: scan_reach bytes at p can be read.
inline bool scan_number(const char* p, scanned_number& out) {
  out = {};
  out.negative = *p == '-';
  p += out.negative;
  if (scan_short(p, out)) return true;
  const char* const whole = p;
  p = scan_digits(p, out.mantissa);
  auto digits = p - whole;
  if (digits == 0) return false;
  if (*p == '.') {
    const char* const fraction = ++p;
    p = scan_digits(p, out.mantissa);
    out.scale = static_cast<int>(p - fraction);
    if (out.scale == 0) return false;
    digits += out.scale;
  }
  if (digits > 19) return false;  // the mantissa has wrapped
  if ((*p | 0x20) == 'e') {
    int exponent = 0;
    p = scan_exponent(p + 1, exponent);
    if (p == nullptr) return false;
    out.scale -= exponent;
    out.exponent = true;
  }
  out.end = p;
  return is_blank(*p);
}

}  // namespace onefold::program
