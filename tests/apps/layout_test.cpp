// SPDX-License-Identifier: Apache-2.0
#include "io/layout.hpp"

#include <bit>
#include <cstring>

#include <gtest/gtest.h>

namespace onefold::program {
namespace {

using extents = std::vector<std::int64_t>;

constexpr bool foreign_is_big = std::endian::native == std::endian::little;

TEST(layout, items_are_counted_as_far_as_63_bits_of_bytes_reach) {
  EXPECT_EQ(count_items(extents{}, 8), 1);
  EXPECT_EQ(count_items(extents{2, 3, 4}, 8), 24);
  EXPECT_EQ(count_items(extents{0, 5}, 8), 0);
  EXPECT_EQ(count_items(extents{INT64_MAX}, 1), INT64_MAX);
  EXPECT_EQ(count_items(extents{INT64_MAX / 8}, 8), INT64_MAX / 8);
}

TEST(layout, shapes_beyond_that_have_no_count) {
  EXPECT_EQ(count_items(extents{INT64_MAX}, 2), std::nullopt);
  EXPECT_EQ(count_items(extents{std::int64_t(1) << 32, std::int64_t(1) << 32}, 1), std::nullopt);
  EXPECT_EQ(count_items(extents{(std::int64_t(1) << 61) + 1}, 8), std::nullopt);
  EXPECT_EQ(count_items(extents{0, INT64_MAX, 2}, 1), std::nullopt);
  EXPECT_EQ(count_items(extents{-1}, 1), std::nullopt);
}

TEST(layout, strides_follow_the_order) {
  const layout rows{dtype::f32, false, false, {2, 3, 4}, 24, 0};
  const layout columns{dtype::f32, false, true, {2, 3, 4}, 24, 0};
  EXPECT_EQ(view_of(rows, nullptr).axes(), (axis_list{{2, 48}, {3, 16}, {4, 4}}));
  EXPECT_EQ(view_of(columns, nullptr).axes(), (axis_list{{2, 4}, {3, 8}, {4, 24}}));
}

TEST(layout, foreign_bytes_are_turned_round) {
  std::uint32_t words[] = {0x01020304, 0xa0b0c0d0};
  const layout foreign{dtype::u32, foreign_is_big, false, {2}, 2, 0};
  make_native(foreign, std::as_writable_bytes(std::span(words)));
  EXPECT_EQ(words[0], 0x04030201u);
  EXPECT_EQ(words[1], 0xd0c0b0a0u);
}

TEST(layout, half_an_element_at_the_end_is_left_alone) {
  unsigned char bytes[] = {1, 2, 3, 4, 5};
  make_native({dtype::u16, foreign_is_big, false, {2}, 2, 0},
              std::as_writable_bytes(std::span(bytes)));
  const unsigned char expected[] = {2, 1, 4, 3, 5};
  EXPECT_EQ(std::memcmp(bytes, expected, sizeof bytes), 0);
}

}  // namespace
}  // namespace onefold::program
