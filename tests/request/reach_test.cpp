// SPDX-License-Identifier: Apache-2.0
// Whether elements share bytes, against a map of the bytes; how far strides reach.
#include "request/reach.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "support/elements.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// Every byte of every element, counted.
bool shares_no_byte(const axis_list& axes, std::int64_t item_bytes) {
  std::map<std::int64_t, int> bytes;
  std::vector<std::int64_t> starts = {0};
  for (const axis_layout& axis : axes) {
    std::vector<std::int64_t> next;
    for (const std::int64_t start : starts)
      for (std::int64_t i = 0; i < axis.extent; ++i) next.push_back(start + i * axis.stride_bytes);
    starts = next;
  }
  for (const std::int64_t start : starts)
    for (std::int64_t i = 0; i < item_bytes; ++i)
      if (++bytes[start + i] > 1) return false;
  return true;
}

TEST(overlap_check, passes_only_where_no_two_elements_share_a_byte) {
  const auto count = std::uint64_t(cases(20'000, 1000));
  for (std::uint64_t k = 0; k < count && !HasFailure(); ++k) {
    random_source random = source_of(7300, k);
    axis_list axes;
    for (int i = random.between(0, 3); i > 0; --i)
      axes.push_back({random.between(0, 4), random.between(-20, 20)});
    const std::int64_t item = random.between(1, 8);
    if (lies_apart(axes, item)) {
      EXPECT_TRUE(shares_no_byte(axes, item)) << "ONEFOLD_TEST_SEED=" << seed() << ", case " << k;
    }
  }
}

// Rows with gaps, turned and in any order of the axes.
TEST(overlap_check, passes_axes_that_nest) {
  const auto count = std::uint64_t(cases(20'000, 1000));
  for (std::uint64_t k = 0; k < count && !HasFailure(); ++k) {
    random_source random = source_of(7301, k);
    const std::int64_t item = random.between(1, 8);
    std::vector<axis_layout> nested;
    std::int64_t span = item;
    for (int i = random.between(0, 4); i > 0; --i) {
      const std::int64_t extent = random.between(1, 5), step = span + random.between(0, 3);
      nested.push_back({extent, random.one_in(2) ? step : -step});
      span += (extent - 1) * step;
    }
    shuffle(random, nested.data(), nested.size());
    axis_list axes;
    for (const axis_layout& axis : nested) axes.push_back(axis);
    EXPECT_TRUE(lies_apart(axes, item)) << "ONEFOLD_TEST_SEED=" << seed() << ", case " << k;
  }
}

TEST(overlap_check, fails_beyond_what_63_bits_hold) {
  EXPECT_FALSE(lies_apart({{3, most}}, 8));
  EXPECT_FALSE(lies_apart({{2, -most - 1}}, 8));
  EXPECT_FALSE(lies_apart({{2, most}, {2, 8}}, 8));
  EXPECT_TRUE(lies_apart({{2, most - 15}}, 8));
  EXPECT_TRUE(lies_apart({{3, most}, {0, 0}}, 8)) << "no element";
}

TEST(reach, is_that_of_all_axes_or_nothing) {
  EXPECT_EQ(reach_of({}), 0);
  EXPECT_EQ(reach_of({{3, 8}, {4, -24}, {1, most}}), 16 + 72);
  EXPECT_EQ(reach_of({{2, most}}), most);
  EXPECT_EQ(reach_of({{2, most}, {2, 1}}), std::nullopt);
  EXPECT_EQ(reach_of({{2, -most - 1}}), std::nullopt);
  EXPECT_EQ(reach_of({{3, most / 2 + 1}}), std::nullopt);
}

TEST(row_major, keeps_strides_beyond_63_bits_where_a_request_refuses_them) {
  const std::int64_t extents[] = {std::int64_t(1) << 62, 4, 4};
  const axis_list axes = row_major(extents, 8);
  EXPECT_EQ(axes[2], (axis_layout{4, 8}));
  EXPECT_EQ(axes[0], (axis_layout{std::int64_t(1) << 62, 128}));
  const std::int64_t large[] = {2, 2, std::int64_t(1) << 62, 4};
  EXPECT_EQ(row_major(large, 8)[1].stride_bytes, most);
  EXPECT_EQ(reach_of(row_major(large, 8)), std::nullopt);
  // 2^63 bytes to the byte: one step of it is one too many.
  const std::int64_t edge[] = {2, std::int64_t(1) << 60};
  EXPECT_EQ(reach_of(row_major(edge, 8)), std::nullopt);
  const std::int64_t once[] = {1, std::int64_t(1) << 60};
  EXPECT_EQ(reach_of(row_major(once, 8)), most - 7);
}

}  // namespace
}  // namespace onefold::test
