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
  EXPECT_TRUE(decimals.finish() && doubles.finish());
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

TEST(TextRange, TheEndsOfDecimalsAreThoseOfTheirRoundedValues) {
  const auto seed = test::seed();
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (auto left = random() % 20 + 1; left > 0; --left) text += random_number(random) + " ";
    for (const std::size_t chunk : {text.size(), std::size_t(7)}) {
      const outcome got = read(text, chunk);
      const auto [least, largest] =
          std::minmax_element(got.rounded.begin(), got.rounded.end(), before);
      EXPECT_EQ(bits(got.range.least()), bits(*least)) << text << " seed " << seed;
      EXPECT_EQ(bits(got.range.largest()), bits(*largest)) << text << " seed " << seed;
    }
  }
}

TEST(TextRange, IntegersOf64BitsStayWhatTheyAre) {
  const outcome got = read("9223372036854775807 -9223372036854775808 +5 007 ", 100);
  ASSERT_TRUE(got.range.all_integers());
  EXPECT_EQ(got.range.least_integer(), INT64_MIN);
  EXPECT_EQ(got.range.largest_integer(), INT64_MAX);
  for (const char* text : {"1 2.0 ", "1 2e0 ", "1 9223372036854775808 ", "1 -0 ", "1 inf "})
    EXPECT_FALSE(read(text, 100).range.all_integers()) << text;
}

TEST(TextRange, NansAreNoPartOfIt) {
  const outcome got = read("nan 3 NaN 2.5 -nan ", 100);
  EXPECT_EQ(got.range.least(), 2.5);
  EXPECT_EQ(got.range.largest(), 3);
  EXPECT_EQ(got.sum, "nan");
  EXPECT_TRUE(read("nan ", 100).range.empty());
}

TEST(TextRange, MergesInAnyOrder) {
  const outcome a = read("1 2 ", 100), b = read("-0.5 ", 100);
  text_range left = a.range, right = b.range;
  left.merge(b.range);
  right.merge(a.range);
  for (const text_range& each : {left, right}) {
    EXPECT_EQ(each.least(), -0.5);
    EXPECT_EQ(each.largest(), 2);
    EXPECT_FALSE(each.all_integers());
  }
}

}  // namespace
}  // namespace onefold::program
