// SPDX-License-Identifier: Apache-2.0
// Extrema next to NaNs of every sign and payload, by the public functions: NaNs sort nowhere.
// Propagated they are the answer, left out they are nothing, whatever their bits are.
#include <gtest/gtest.h>

#include <set>

#include "onefold/onefold.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"

namespace onefold::test {
namespace {

// Quiet and signalling, of both signs, the least and the largest payload.
template <class T>
std::vector<bits_of<T>> nan_patterns() {
  using format = ieee<T>;
  std::vector<bits_of<T>> patterns;
  if constexpr (sizeof(T) == 2) {
    for (unsigned bits = 0; bits <= 0xFFFF; ++bits)
      if ((bits & 0x7FFF) > format::infinity) patterns.push_back(bits_of<T>(bits));
  } else {
    constexpr auto quiet = bits_of<T>(format::hidden >> 1);
    for (const auto payload : {bits_of<T>(1), quiet, bits_of<T>(quiet | 1), bits_of<T>(quiet - 1),
                               bits_of<T>(format::hidden - 1)})
      for (const auto sign : {bits_of<T>(0), bits_of<T>(format::sign)})
        patterns.push_back(bits_of<T>(format::infinity | payload | sign));
  }
  return patterns;
}

template <class T>
T nan_of(bits_of<T> bits) {
  return as_float<T>(bits);
}

template <class T>
void expect_propagated(const std::vector<T>& x, std::int64_t first_nan) {
  const auto canonical = hex(bits_of<T>(ieee<T>::nan));
  EXPECT_EQ(hex(as_bits(min(x))), canonical);
  EXPECT_EQ(hex(as_bits(max(x))), canonical);
  EXPECT_EQ(hex(as_bits(norminf(x))), canonical);
  EXPECT_EQ(hex(as_bits(minmax(x).first)), canonical);
  EXPECT_EQ(hex(as_bits(minmax(x).second)), canonical);
  EXPECT_EQ(argmin(x), first_nan);
  EXPECT_EQ(argmax(x), first_nan);
  EXPECT_EQ(try_min(x, {.nan_policy = nan_policy::error}).why().code(), status_code::not_a_number);
}

template <class T>
void expect_left_out(const std::vector<T>& x, std::int64_t least, std::int64_t largest) {
  const options omit{.nan_policy = nan_policy::omit};
  EXPECT_EQ(hex(as_bits(min(x, omit))), hex(as_bits(x[std::size_t(least)])));
  EXPECT_EQ(hex(as_bits(max(x, omit))), hex(as_bits(x[std::size_t(largest)])));
  EXPECT_EQ(argmin(x, omit), least);
  EXPECT_EQ(argmax(x, omit), largest);
}

// The ends of the order next to the NaN, before and after it, in short and in long arrays.
template <class T>
void try_pattern(random_source& random, bits_of<T> pattern, std::size_t n) {
  std::vector<T> x(n);
  for (T& element : x) element = any_of_exponent<T>(random, random.between(-3, 3));
  const std::size_t least = random.below(n), nan = (least + 1 + random.below(n - 2)) % n;
  std::size_t largest = 0;
  while (largest == least || largest == nan) ++largest;
  x[least] = as_float<T>(bits_of<T>(ieee<T>::infinity | ieee<T>::sign));
  x[largest] = as_float<T>(ieee<T>::infinity);
  x[nan] = nan_of<T>(pattern);
  expect_propagated(x, std::int64_t(nan));
  expect_left_out(x, std::int64_t(least), std::int64_t(largest));
}

template <class T>
void try_type(std::uint64_t stream) {
  std::uint64_t index = 0;
  for (const auto pattern : nan_patterns<T>()) {
    random_source random = source_of(stream, index++);
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", NaN " + hex(pattern));
    try_pattern<T>(random, pattern, 3 + random.below(70));
    if (index % 64 == 1) try_pattern<T>(random, pattern, 20'000 + random.below(300));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(nan_order, of_binary16_and_bfloat16_holds_for_every_nan) {
  on_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    try_type<f16>(6400);
    try_type<bf16>(6401);
  });
}
TEST(nan_order, of_binary32_and_binary64_holds_for_every_kind_of_nan) {
  on_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    try_type<float>(6402);
    try_type<double>(6403);
  });
}

// Alone, a NaN is no least element of anything.
TEST(nan_order, of_nothing_but_nans_is_empty_where_they_are_left_out) {
  for (const auto pattern : nan_patterns<f16>()) {
    const std::vector<f16> x(3, nan_of<f16>(pattern));
    expect_propagated(x, 0);
    const auto refused = try_argmin(x, {.nan_policy = nan_policy::omit});
    EXPECT_EQ(refused.why().code(), status_code::empty) << hex(pattern);
  }
}

TEST(nan_order, holds_for_every_row_of_a_matrix) {
  const auto minus_nan = nan_of<float>(0xFFC00001u), infinity = as_float<float>(0x7F800000u);
  const float x[] = {1, minus_nan, -infinity, 3, 2, infinity, minus_nan, minus_nan, minus_nan};
  const view<float> rows(x, {3, 3});
  EXPECT_EQ(hex(as_bits(min(rows, axis(1))[0])), hex(0x7FC00000u));
  EXPECT_EQ(min(rows, axis(1))[1], 2);
  const auto at = argmin(rows, axis(1));
  EXPECT_EQ(at[0], 1);
  EXPECT_EQ(at[1], 1);
  EXPECT_EQ(at[2], 0);
  const float y[] = {1, minus_nan, -infinity, 3};
  const auto columns = max(view<float>(y, {2, 2}), axis(0), {.nan_policy = nan_policy::omit});
  EXPECT_EQ(columns[0], 1);
  EXPECT_EQ(columns[1], 3);
}

}  // namespace
}  // namespace onefold::test
