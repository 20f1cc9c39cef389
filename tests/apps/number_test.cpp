// SPDX-License-Identifier: Apache-2.0
#include "report/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace onefold::program {
namespace {

// All finite magnitudes of a format of 16 bits in order, each as its double, and after them the
// power of two from which on everything is infinite.
std::vector<double> magnitudes(int fraction_bits, int bias) {
  std::vector<double> all;
  const int infinity = (2 * bias + 1) << fraction_bits;
  for (int bits = 0; bits <= infinity; ++bits) {
    const int field = bits >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
    const int hidden = field > 0 ? 1 << fraction_bits : 0;
    all.push_back(std::ldexp(hidden + fraction, (field > 0 ? field : 1) - bias - fraction_bits));
  }
  return all;
}

// The bits that a reader makes of a decimal: the nearest magnitude, the even one of two.
std::size_t read(const std::vector<double>& all, double decimal) {
  const auto above = std::upper_bound(all.begin(), all.end(), decimal);
  const auto at = std::size_t(above - all.begin());
  if (at == 0 || at == all.size()) return all.size();
  const double down = decimal - all[at - 1], up = all[at] - decimal;
  if (down == up) return at % 2 == 0 ? at : at - 1;
  return down < up ? at - 1 : at;
}

double parsed(const std::string& text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  EXPECT_EQ(end, text.data() + text.size()) << text;
  return value;
}

int digits(const std::string& text) {
  int first = -1, last = -1, n = 0;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c < '0' || c > '9') continue;
    if (c != '0' && first < 0) first = n;
    if (c != '0') last = n;
    ++n;
  }
  return first < 0 ? 0 : last - first + 1;
}

// Whether any decimal of so many digits reads back as this number.
bool fits(const std::vector<double>& all, std::size_t bits, int places) {
  if (places < 1) return false;
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, all[bits], std::chars_format::scientific, places - 1)
          .ptr;
  const std::string nearest(text, end);
  const double step = std::pow(10.0, std::stoi(nearest.substr(nearest.find('e') + 1)) - places + 1);
  for (const int move : {-1, 0, 1}) {
    const double next = parsed(nearest) + move * step;
    const auto stop =
        std::to_chars(text, text + sizeof text, next, std::chars_format::scientific, places - 1)
            .ptr;
    if (read(all, parsed({text, stop})) == bits) return true;
  }
  return false;
}

template <class Half>
void check_all(int fraction_bits, int bias) {
  const auto all = magnitudes(fraction_bits, bias);
  for (std::size_t bits = 0; bits + 1 < all.size(); ++bits) {
    const std::string text = to_decimal(number::from(Half{std::uint16_t(bits)}));
    ASSERT_EQ(read(all, parsed(text)), bits) << text;
    const bool in_full = all[bits] == std::trunc(all[bits]) && all[bits] < 1e16;
    ASSERT_TRUE(in_full || !fits(all, bits, digits(text) - 1)) << text;
    ASSERT_EQ(to_decimal(number::from(Half{std::uint16_t(bits | 0x8000)})), "-" + text);
  }
}

TEST(written_numbers, of_every_half_are_the_shortest_that_read_back) {
  check_all<f16>(10, 15);
}
TEST(written_numbers, of_every_bfloat16_are_the_shortest_that_read_back) {
  check_all<bf16>(7, 127);
}

TEST(written_numbers, of_halves_have_their_specials) {
  EXPECT_EQ(to_decimal(number::from(f16{0x7c00})), "inf");
  EXPECT_EQ(to_decimal(number::from(f16{0xfc00})), "-inf");
  EXPECT_EQ(to_decimal(number::from(bf16{0x7fc0})), "nan");
  EXPECT_FALSE(is_finite(number::from(f16{0x7c00})));
  EXPECT_EQ(to_hex(number::from(f16{0x0001})), "0x1p-24");
}

template <class Float, class Bits>
void check_random() {
  std::mt19937_64 random(7);
  for (int round = 0; round < 100000; ++round) {
    const auto value = __builtin_bit_cast(Float, Bits(random()));
    if (!std::isfinite(value)) continue;
    const std::string text = to_decimal(number::from(value)), hex = to_hex(number::from(value));
    Float back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    ASSERT_EQ(back, value) << text;
    ASSERT_EQ(std::strtod(hex.c_str(), nullptr), double(value)) << hex;
    const double size = std::fabs(double(value));
    const bool fixed = size == 0 || (size >= 1e-5 && size < 1e16);
    ASSERT_EQ(text.find('e') == std::string::npos, fixed) << text;
  }
}

TEST(written_numbers, of_floats_read_back_in_both_forms) {
  check_random<float, std::uint32_t>();
}
TEST(written_numbers, of_doubles_read_back_in_both_forms) {
  check_random<double, std::uint64_t>();
}

TEST(written_numbers, of_decimals_keep_all_their_digits) {
  const auto text = [](const std::string& digits) {
    return to_decimal(number::decimal(digits, 1));
  };
  const std::string zeros(30, '0');
  for (const std::string digits : {"0", "-0", "0.00001", "-900719925474099.32",
                                   "123456789012345678", "0.3000000000000000000000000000001"})
    EXPECT_EQ(text(digits), digits);
  EXPECT_EQ(text("1234567890" + zeros), "1234567890" + zeros);
  EXPECT_EQ(text("12345678901" + zeros), "1.2345678901e+40");
  EXPECT_EQ(text("-1" + zeros + zeros + ".5"), "-1." + zeros + zeros + "5e+60");
  EXPECT_EQ(text("0.000009"), "9e-06");
  EXPECT_EQ(text("-0.0" + zeros + "12"), "-1.2e-32");
  EXPECT_EQ(to_hex(number::decimal("0.1", 0.1)), "0x1.999999999999ap-4");
  EXPECT_TRUE(is_finite(number::decimal("1" + zeros, HUGE_VAL)));
}

TEST(written_numbers, of_integers_are_in_full) {
  EXPECT_EQ(to_decimal(number::from(INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(to_decimal(number::from(UINT64_MAX)), "18446744073709551615");
  EXPECT_EQ(to_decimal(number::from(std::int8_t(-7))), "-7");
  EXPECT_EQ(to_decimal(number::from(std::uint8_t(200))), "200");
  EXPECT_EQ(to_decimal(number::from(true)), "1");
}

}  // namespace
}  // namespace onefold::program
