// SPDX-License-Identifier: Apache-2.0
#include "conformance/vectors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "conformance/number_text.hpp"
#include "support/each_target.hpp"

namespace onefold::conformance {
namespace {

TEST(conformance_vectors, are_read_from_every_embedded_line) {
  std::size_t lines = 0;
  for (const auto& file : embedded_files())
    for_each_line(file.text, [&](std::string_view line) {
      ASSERT_TRUE(parse(line)) << file.name << ": " << line;
      ++lines;
    });
  EXPECT_GT(lines, 10000u);
}

TEST(conformance_vectors, pass_on_every_target_and_thread_count) {
  test::on_each_target([](const std::string& target) {
    std::size_t right = 0;
    for (const auto& file : embedded_files())
      for_each_line(file.text, [&](std::string_view line) {
        const auto vector = parse(line);
        ASSERT_TRUE(vector);
        const int threads = vector->items > 1000 ? 2 : 1;
        const std::string said = answer(executor::cpu{threads}, *vector);
        if (said == "unsupported") return;
        EXPECT_EQ(said, vector->expected) << target << ": " << line;
        ++right;
      });
    EXPECT_GT(right, 2000u) << target;
  });
}

TEST(conformance_vectors, refuse_other_lines) {
  EXPECT_TRUE(parse("sum f64 f64 tie 1 ? 2 0x1p+0 0x1p-53"));
  EXPECT_TRUE(parse("sum f64 f64 tie 1 ? 3 0x1p+0*3"));
  EXPECT_TRUE(parse("dot i8 i64 random 1 ? 1 -128 127"));
  for (const char* line :
       {"", "sum", "total f64 f64 tie 1 ? 1 0x1p+0", "sum f63 f64 tie 1 ? 1 0x1p+0",
        "sum f64 f64 tie 1 ? 2 0x1p+0", "sum f64 f64 tie 1 ? 1 0x1p+0 0x1p+0",
        "sum f64 f64 tie 1 ? 1 1.0", "sum f64 f64 tie 1 ? -1", "sum f64 f64 tie 1 ? 2 0x1p+0*3",
        "sum f64 f64 tie 1 ? 2 0x1p+0*0 0x1p+0*2", "dot i8 i64 random 1 ? 1 -128",
        "sum i8 i64 random 1 ? 1 128", "sum bool i64 random 1 ? 1 -"})
    EXPECT_FALSE(parse(line)) << line;
}

TEST(number_text, of_every_half_reads_back) {
  for (unsigned word = 0; word < 0x10000; ++word) {
    const auto check = [&]<class T>(T x) {
      const auto read = parse_element<T>(hexadecimal(widened(x)));
      ASSERT_TRUE(read);
      const bool nan = std::isnan(widened(x));
      EXPECT_EQ(read->bits, nan ? detail::float_format<T>::quiet_nan : word) << std::hex << word;
    };
    check(f16{std::uint16_t(word)});
    check(bf16{std::uint16_t(word)});
  }
}

TEST(number_text, has_one_digit_before_the_point_and_no_zeros_at_the_end) {
  EXPECT_EQ(hexadecimal(0x1p-1074), "0x1p-1074");
  EXPECT_EQ(hexadecimal(-0x1.8p-1073), "-0x1.8p-1073");
  EXPECT_EQ(hexadecimal(0x1.fffffffffffffp+1023), "0x1.fffffffffffffp+1023");
  EXPECT_EQ(hexadecimal(-0.0), "-0x0p+0");
  EXPECT_EQ(hexadecimal(10), "0x1.4p+3");
  EXPECT_EQ(hexadecimal(-INFINITY), "-inf");
  EXPECT_EQ(exact_bits<float>(0x1p-149), 1u);
  EXPECT_EQ(exact_bits<float>(-1.0), 0xBF800000u);
  EXPECT_EQ(exact_bits<double>(0x1.fffffffffffffp+1023), 0x7FEFFFFFFFFFFFFFu);
}

}  // namespace
}  // namespace onefold::conformance
