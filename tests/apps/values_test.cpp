// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <gtest/gtest.h>

#include "suggestion.hpp"

namespace onefold::program {
namespace {

TEST(option_values, of_sizes_have_units_of_1024) {
  EXPECT_EQ(parse_size("--x", "1000"), 1000u);
  EXPECT_EQ(parse_size("--x", "1000B"), 1000u);
  EXPECT_EQ(parse_size("--x", "3K"), 3072u);
  EXPECT_EQ(parse_size("--x", "2MiB"), 2u << 20);
  EXPECT_EQ(parse_size("--x", "8g"), std::uint64_t(8) << 30);
  EXPECT_EQ(parse_size("--x", "1TB"), std::uint64_t(1) << 40);
  for (const char* wrong : {"", "G", "-1", "1.5G", "8X", "8GG", " 8G", "18446744073709551615K"})
    EXPECT_THROW(parse_size("--x", wrong), failure) << wrong;
}

TEST(option_values, of_shapes_are_whole_numbers_between_commas) {
  EXPECT_EQ(parse_shape("--x", "10"), (std::vector<std::int64_t>{10}));
  EXPECT_EQ(parse_shape("--x", "10,0,3"), (std::vector<std::int64_t>{10, 0, 3}));
  for (const char* wrong : {"", ",", "1,", ",1", "1,,2", "-1", "1 2", "9223372036854775808"})
    EXPECT_THROW(parse_shape("--x", wrong), failure) << wrong;
}

TEST(option_values, of_axes_count_from_either_end) {
  EXPECT_EQ(parse_axes("--x", "0"), (std::vector<int>{0}));
  EXPECT_EQ(parse_axes("--x", "2,-1,0"), (std::vector<int>{2, -1, 0}));
  for (const char* wrong : {"", ",", "1,", ",1", "1.0", "x", "99999999999"})
    EXPECT_THROW(parse_axes("--x", wrong), failure) << wrong;
}

TEST(option_values, that_are_refused_name_the_option_and_what_it_takes) {
  try {
    parse_choice<int>("--order", "Z", {{"C", 0}, {"F", 1}});
    FAIL();
  } catch (const failure& why) {
    EXPECT_EQ(why.why().message(), "--order cannot be 'Z'; it takes C, F");
    EXPECT_EQ(why.exit_code(), 2);
  }
}

TEST(suggestion, is_a_near_word_and_no_far_one) {
  const std::vector<std::string> known{"sum", "plan", "doctor", "fingerprint"};
  EXPECT_EQ(nearest_word("smu", known), "sum");
  EXPECT_EQ(nearest_word("plna", known), "plan");
  EXPECT_EQ(nearest_word("dcotro", known), "doctor");
  EXPECT_EQ(nearest_word("fingerprnt", known), "fingerprint");
  EXPECT_EQ(nearest_word("xyz", known), "");
  EXPECT_EQ(nearest_word("", known), "");
  EXPECT_EQ(nearest_word(std::string(1000, 's'), known), "");
}

}  // namespace
}  // namespace onefold::program
