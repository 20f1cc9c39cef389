// SPDX-License-Identifier: Apache-2.0
#include "io/text_range.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/text.hpp"
#include "support/random.hpp"

namespace onefold::program {
namespace {

struct outcome {
  std::string sum;
  text_range range;
  std::vector<double> rounded;
};

outcome read(const std::string& text, std::size_t chunk) {
  outcome out;
  text_options ranged, rounded;
  ranged.range = &out.range;
  rounded.binary64_blocks = [&](std::span<const double> block) {
    out.rounded.insert(out.rounded.end(), block.begin(), block.end());
    return status();
  };
  text_reader decimals("in", ranged), doubles("in", rounded);
  for (std::size_t at = 0; at < text.size(); at += chunk) {
    const std::span<const char> piece(text.data() + at, std::min(chunk, text.size() - at));
    EXPECT_TRUE(decimals.feed(piece) && doubles.feed(piece));
  }
  EXPECT_TRUE(decimals.end() && doubles.end());
  out.sum = decimals.sum().to_string();
  return out;
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

// -0 is less than +0.
bool before(double a, double b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

std::string random_number(std::mt19937_64& random) {
  const auto digits = [&](unsigned most) {
    std::string text;
    for (auto left = random() % most + 1; left > 0; --left) text += char('0' + random() % 10);
    return text;
  };
  std::string text = random() % 2 ? "-" : "";
  text += random() % 8 ? digits(6) : digits(30);
  if (random() % 2) text += "." + (random() % 8 ? digits(4) : digits(40));
  if (random() % 8 == 0) text += "e" + std::to_string(int(random() % 700) - 350);
  return text;
}

TEST(text_range, has_the_ends_of_decimals_as_rounded) {
  const auto seed = test::seed();
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (auto left = random() % 20 + 1; left > 0; --left) text += random_number(random) + " ";
    for (const std::size_t chunk : {text.size(), std::size_t(7)}) {
      const outcome got = read(text, chunk);
      const auto [least, largest] =
          std::minmax_element(got.rounded.begin(), got.rounded.end(), before);
      EXPECT_EQ(bits(got.range.least().value()), bits(*least)) << text << " seed " << seed;
      EXPECT_EQ(bits(got.range.largest().value()), bits(*largest)) << text << " seed " << seed;
    }
  }
}

void expect_ends(const std::string& text, const char* least, const char* largest) {
  for (const std::size_t chunk : {text.size(), std::size_t(7)}) {
    const outcome got = read(text, chunk);
    EXPECT_EQ(got.range.least().to_string(), least) << text;
    EXPECT_EQ(got.range.largest().to_string(), largest) << text;
  }
}

TEST(text_range, has_exact_ends) {
  expect_ends("9223372036854775807 -9223372036854775808 +5 007 ", "-9223372036854775808",
              "9223372036854775807");
  expect_ends("9007199254740993 9007199254740992.5 ", "9007199254740992.5", "9007199254740993");
  expect_ends("0.3 0.30000000000000000000000000001 0.29e0 ", "0.29",
              "0.30000000000000000000000000001");
  expect_ends("-12e-2 -0.1200000000000000000000001 -.11 ", "-0.1200000000000000000000001", "-0.11");
  expect_ends("2e30 -3E+30 1e-400 ", "-3000000000000000000000000000000",
              "2000000000000000000000000000000");
  expect_ends("1 inf ", "1", "inf");
  expect_ends("99999999999999999999 -infinity 1e25 ", "-inf", "10000000000000000000000000");
}

TEST(text_range, takes_minus_zero_for_less_than_zero_and_an_integer) {
  expect_ends("-0 0 ", "-0", "0");
  expect_ends("-0 -0.0 ", "-0", "-0");
  expect_ends("0e5 -0e5 0.00 ", "-0", "0");
  expect_ends("-0 9007199254740993 ", "-0", "9007199254740993");
  const outcome got = read("-0 7 ", 100);
  EXPECT_EQ(*got.range.least().value_i64(), 0);
}

TEST(text_range, leaves_nans_out) {
  const outcome got = read("nan 3 NaN 2.5 -nan ", 100);
  EXPECT_EQ(got.range.least().to_string(), "2.5");
  EXPECT_EQ(got.range.largest().to_string(), "3");
  EXPECT_EQ(got.sum, "nan");
  EXPECT_TRUE(read("nan ", 100).range.empty());
}

TEST(text_range, merges_in_any_order) {
  const outcome a = read("1 2 1e40 ", 100), b = read("-0.5 2e40 ", 100);
  text_range left = a.range, right = b.range;
  left.merge(b.range);
  right.merge(a.range);
  for (const text_range& each : {left, right}) {
    EXPECT_EQ(each.least().to_string(), "-0.5");
    EXPECT_EQ(each.largest().value(), 2e40);
  }
}

}  // namespace
}  // namespace onefold::program
