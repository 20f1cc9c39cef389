// SPDX-License-Identifier: Apache-2.0
// Which requests have short rows.
#include "cuda/nested/ordered/log_tiles.hpp"

#include <gtest/gtest.h>

namespace onefold::cuda::test {
namespace {

// Rows one behind the other, of which answers are asked for.
nested_request rows_of(accumulator of, dtype type, std::int64_t n) {
  const auto width = std::int64_t(size_bytes(type));
  nested_request made;
  made.of = of, made.input = type, made.x_kind = made.y_kind = kind_of(type), made.aligned = true;
  made.shape = order::chunks, made.items = made.piece_items = n, made.outputs = 1000;
  made.axes.kept = 1, made.axes.all = 2;
  made.axes.axis[0] = {made.outputs, n * width, 0, 0}, made.axes.axis[1] = {n, width, 0, 0};
  made.finish.size = 1;
  return made;
}

TEST(ShortRows, EndWhereAWarpIsFaster) {
  EXPECT_TRUE(has_short_rows(rows_of(accumulator::log_sum, dtype::f64, 256)));
  EXPECT_FALSE(has_short_rows(rows_of(accumulator::log_sum, dtype::f64, 257)));
  EXPECT_FALSE(has_short_rows(rows_of(accumulator::log_sum, dtype::f32, 1))) << "they have tiles";
}

TEST(ShortRows, LieOneElementBehindTheOtherAndAllCount) {
  const nested_request plain = rows_of(accumulator::log_sum, dtype::f64, 100);
  ASSERT_TRUE(has_short_rows(plain));
  const std::byte mask[100] = {};
  nested_request other = plain;
  other.axes.axis[1].x_bytes = 16;
  EXPECT_FALSE(has_short_rows(other));
  other = plain, other.mask = mask;
  EXPECT_FALSE(has_short_rows(other));
  other = plain, other.aligned = false;
  EXPECT_FALSE(has_short_rows(other));
  other = plain, other.pieces = 2;
  EXPECT_FALSE(has_short_rows(other));
  other = plain, other.input = dtype::f32;
  EXPECT_FALSE(has_short_rows(other));
}

}  // namespace
}  // namespace onefold::cuda::test
