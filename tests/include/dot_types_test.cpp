// SPDX-License-Identifier: Apache-2.0
// Dot products of every pair of element types: refused exactly where no type holds both, else the
// sum that 128 bits hold.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

__extension__ typedef unsigned __int128 uint128;

constexpr std::int64_t items = 70'000;  // two chunks

bool is_wide(dtype type) {
  return type == dtype::i64 || type == dtype::u64;
}

// Two floats; integers of fewer than 64 bits and anything; what has no sign and u64; i64 and what
// is no float and no u64.
bool has_common_type(dtype a, dtype b) {
  if (is_floating(a) || is_floating(b)) return !is_wide(a) && !is_wide(b);
  if (a == dtype::u64) return !is_signed_integer(b);
  if (b == dtype::u64) return !is_signed_integer(a);
  return true;
}

// Small numbers that every type but bool holds, and of the widest ones also large ones.
std::uint64_t number(dtype type, std::int64_t i) {
  if (type == dtype::boolean) return i % 3 != 1;
  if (type == dtype::u64 && i == 3) return ~std::uint64_t(0) - 100'000'000;
  return std::uint64_t(i) * 7 % 11;
}

std::vector<std::byte> elements(dtype type) {
  std::vector<std::byte> made(std::size_t(items) * size_bytes(type));
  with_type(type, [&]<class T>(detail::tag<T>) {
    for (std::int64_t i = 0; i < items; ++i) {
      T element;
      if constexpr (is_floating(dtype_of<T>)) {
        exact_sum<double> one;
        one.add(double(number(type, i)));
        element = one.value<T>();
      } else {
        element = static_cast<T>(number(type, i));
      }
      std::memcpy(made.data() + std::size_t(i) * sizeof element, &element, sizeof element);
    }
  });
  return made;
}

TEST(dot_types, are_refused_where_no_type_holds_both_and_else_exact) {
  for (const dtype a : all_dtypes)
    for (const dtype b : all_dtypes) {
      const std::string pair = std::string(name(a)) + " and " + std::string(name(b));
      const auto x = elements(a), y = elements(b);
      const array_view left(x.data(), a, {{items, std::int64_t(size_bytes(a))}});
      const array_view right(y.data(), b, {{items, std::int64_t(size_bytes(b))}});
      std::uint64_t got = 7;
      double rounded = 7;
      const bool floats = is_floating(a) || is_floating(b);
      const auto done = floats ? reduce({}, op::dot, {left, right}, rounded)
                               : reduce({}, op::dot, {left, right}, got);
      if (!has_common_type(a, b)) {
        EXPECT_EQ(done.code(), status_code::unsupported) << pair;
        EXPECT_NE(done.message().find("no element type holds both"), std::string::npos) << pair;
        continue;
      }
      uint128 sum = 0;
      for (std::int64_t i = 0; i < items; ++i) sum += uint128(number(a, i)) * number(b, i);
      if (sum > ~std::uint64_t(0)) {
        EXPECT_EQ(done.code(), status_code::overflow) << pair;
        continue;
      }
      ASSERT_TRUE(done.ok()) << pair << ": " << done.message();
      if (floats) {
        EXPECT_EQ(rounded, double(std::uint64_t(sum))) << pair;
      } else {
        EXPECT_EQ(got, std::uint64_t(sum)) << pair;
      }
    }
}

// u64 holds both: the sum is beyond what i64 holds.
TEST(dot_types, of_bool_and_u64_reach_beyond_the_signed_ones) {
  const bool pick[] = {true, false, true};
  const std::uint64_t from[] = {std::uint64_t(1) << 63, 5, 7};
  std::uint64_t got = 0;
  ASSERT_TRUE(reduce({}, op::dot, {pick, from}, got));
  EXPECT_EQ(got, (std::uint64_t(1) << 63) + 7);
  ASSERT_TRUE(reduce({}, op::dot, {from, pick}, got, {.accuracy = accuracy::fast}));
  EXPECT_EQ(got, (std::uint64_t(1) << 63) + 7);
  EXPECT_EQ(try_dot(pick, from).why().code(), status_code::overflow) << "an i64, as of the bools";
}

}  // namespace
}  // namespace onefold::test
