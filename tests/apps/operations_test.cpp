// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "failure.hpp"

namespace onefold::program {
namespace {

TEST(operations, a_list_names_each_operator_once) {
  EXPECT_EQ(parse_operations("sum"), op_list(op::sum));
  EXPECT_EQ(parse_operations("std,mean,argmin"), (op_list{op::stddev, op::mean, op::argmin}));
  for (const char* wrong : {"", ",", "sum,", ",sum", "sum,,mean", "sum,sum", "Sum", "sum mean",
                            "dot,sum", "stddev", "median"})
    EXPECT_THROW(parse_operations(wrong), failure) << wrong;
}

TEST(operations, every_operator_has_a_meaning_of_its_own) {
  for (const op a : all_ops) {
    EXPECT_FALSE(meaning_of(a).empty());
    for (const op b : all_ops) EXPECT_EQ(meaning_of(a) == meaning_of(b), a == b) << name(a);
  }
}

TEST(operations, initial_values_are_integers_or_doubles) {
  EXPECT_EQ(parse_initial("--x", "-3"), scalar(-3));
  EXPECT_EQ(parse_initial("--x", "18446744073709551615"), scalar(UINT64_MAX));
  EXPECT_EQ(parse_initial("--x", "0.5"), scalar(0.5));
  EXPECT_EQ(parse_initial("--x", "-inf"), scalar(-HUGE_VAL));
  EXPECT_EQ(parse_initial("--x", "0"), scalar(0));
  parse_initial("--x", "-0").visit([](auto zero) { EXPECT_TRUE(std::signbit(double(zero))); });
  for (const char* wrong : {"", "x", "1x", "0x1", "1,5", "1e999"})
    EXPECT_THROW(parse_initial("--x", wrong), failure) << wrong;
}

TEST(operations, an_initial_value_is_an_element_of_its_input) {
  const auto fits = [](scalar value, dtype type) {
    request request;
    request.options.initial = value;
    try {
      check_initial(request, type, "a");
      return true;
    } catch (const failure&) {
      return false;
    }
  };
  EXPECT_TRUE(fits(255, dtype::u8) && fits(-128, dtype::i8) && fits(1, dtype::boolean));
  EXPECT_TRUE(fits(0.5, dtype::f16) && fits(UINT64_MAX, dtype::u64) && fits(7, dtype::f64));
  EXPECT_TRUE(fits(-0.0, dtype::i8) && fits(-0.0, dtype::boolean) && fits(-0.0, dtype::u64));
  EXPECT_FALSE(fits(256, dtype::u8) || fits(-129, dtype::i8) || fits(2, dtype::boolean));
  EXPECT_FALSE(fits(-1, dtype::u64) || fits(UINT64_MAX, dtype::i64) || fits(1.0, dtype::i32));
}

TEST(operations, levels_follow_the_operator_and_the_type) {
  EXPECT_EQ(level_of(op::mean, dtype::f32, accuracy::exact), level::exact);
  EXPECT_EQ(level_of(op::mean, dtype::f32, accuracy::fast), level::fast);
  EXPECT_EQ(level_of(op::max, dtype::f32, accuracy::fast), level::exact);
  EXPECT_EQ(level_of(op::norminf, dtype::f32, accuracy::fast), level::exact);
  EXPECT_EQ(level_of(op::prod, dtype::f32, accuracy::exact), level::bounded);
  EXPECT_EQ(level_of(op::prod, dtype::i32, accuracy::exact), level::exact);
  EXPECT_EQ(level_of(op::prod, dtype::i32, accuracy::fast), level::fast);
  EXPECT_EQ(level_of(op::prod, dtype::f64, accuracy::fast), level::bounded);
  EXPECT_EQ(level_of(op::logsumexp, dtype::i32, accuracy::exact), level::bounded);
}

}  // namespace
}  // namespace onefold::program
