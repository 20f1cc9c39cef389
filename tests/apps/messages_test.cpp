// SPDX-License-Identifier: Apache-2.0
// What the library says comes out of the program with the options' names: each of these sentences,
// made by the library itself, so that a change of its words is noticed.
#include "messages.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "onefold/onefold.hpp"

namespace onefold::program {
namespace {

void expect_words(const status& said, status_code code, const std::string& words) {
  const status shown = messages::about("x.npy", said);
  EXPECT_EQ(said.code(), code) << said.message();
  EXPECT_EQ(shown.code(), code);
  EXPECT_EQ(shown.message().rfind("x.npy: ", 0), 0u) << shown.message();
  EXPECT_NE(shown.message().find(words), std::string::npos) << shown.message();
  EXPECT_EQ(said.message().find(words), std::string::npos) << "the library knows no options";
}

TEST(messages, name_the_option_of_a_nan_policy) {
  const std::vector<double> x = {1, std::nan("")};
  const options how{.nan_policy = nan_policy::error};
  expect_words(try_sum(x, how).why(), status_code::not_a_number,
               "which --nan error refuses; --nan omit leaves it out");
  expect_words(try_max(x, how).why(), status_code::not_a_number, "--nan omit");
}

TEST(messages, name_the_option_of_an_initial_value) {
  expect_words(try_min(std::vector<float>()).why(), status_code::empty, "give one with --initial");
}

TEST(messages, name_the_option_of_the_type_of_the_output) {
  const std::vector<std::int64_t> x = {INT64_MAX, 1};
  expect_words(try_sum(x).why(), status_code::overflow, "; say --dtype-out f64, which rounds it");
  std::int32_t integer = 0;
  expect_words(reduce({}, op::sum, {x}, integer), status_code::overflow,
               "say --dtype-out and a wider type, or f64");
  expect_words(reduce({}, op::sum, {std::vector<double>{0.5}}, integer), status_code::unsupported,
               "say --dtype-out f16");
  const options fast{.accuracy = accuracy::fast};
  expect_words(reduce({}, op::sum, {std::vector<double>{0.5}}, integer, fast),
               status_code::unsupported, "say --dtype-out f64");
}

TEST(messages, name_the_option_of_the_type_of_decimals) {
  decimal_sum sum;
  sum.add(INT64_MAX, 0);
  sum.add(1, 0);
  expect_words(sum.value_i64().why(), status_code::overflow, "leave --dtype-out out, or say");
  sum.add(5, 1);
  expect_words(sum.value_i64().why(), status_code::unsupported, "leave --dtype-out out, or say");
}

TEST(messages, name_the_option_of_the_accuracy) {
  const std::vector<std::int64_t> x = {INT64_MAX, 3};
  for (const status& said :
       {try_reduce<double>({}, op::prod, x).why(), try_reduce<std::uint8_t>({}, op::prod, x).why()})
    expect_words(said, status_code::overflow, "say --as f64, or say --accuracy fast, which wraps");
  double product = 0;
  expect_words(reduce({}, op::dot, {x, std::vector<double>{1, 2}}, product),
               status_code::unsupported, "; say --as f64");
}

TEST(messages, leave_other_sentences_as_they_are) {
  const status said(status_code::mismatch, "axis 3 is named twice");
  EXPECT_EQ(messages::about("x", said).message(), "x: axis 3 is named twice");
}

}  // namespace
}  // namespace onefold::program
