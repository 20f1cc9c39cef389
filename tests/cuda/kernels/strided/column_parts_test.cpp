// SPDX-License-Identifier: Apache-2.0
// How lanes share answers: the parts that a device gets.
#include "cuda/loaders/column_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/random.hpp"

namespace onefold::cuda {
namespace {

using onefold::test::source_of;

constexpr unsigned threads = 128;

// Of each axis every index has one part, and the parts of an answer are no more than a few lanes
// of its elements.
TEST(column_parts, have_every_element_once) {
  for (std::uint64_t k = 0; k < 3000 && !testing::Test::HasFailure(); ++k) {
    auto random = source_of(3530, k);
    const std::int64_t outer = random.one_in(2) ? 1 : random.between(1, 3000);
    const std::int64_t inner = random.one_in(2) ? random.between(1, 40) : random.between(1, 90'000);
    const std::int64_t neighbours = random.one_in(3) ? 1 : random.between(1, 300);
    const std::int64_t answers = neighbours * random.between(1, 2000), items = outer * inner;
    const column_parts made =
        column_parts_of(answers, neighbours, shared_axis(outer, 7), shared_axis(inner, 1),
                        unsigned(random.between(1, 264)), threads);
    const std::string text = std::to_string(answers) + " answers of " + std::to_string(neighbours) +
                             " neighbours, " + std::to_string(outer) + " x " +
                             std::to_string(inner) + ", seed " +
                             std::to_string(onefold::test::seed());
    for (const shared_axis& axis : {made.loop, made.run}) {
      std::int64_t all = 0;
      for (std::int64_t part = 0; part < axis.parts; ++part) all += axis.count(part);
      EXPECT_EQ(all, axis.extent) << text;
      EXPECT_LE(axis.parts, std::max<std::int64_t>(axis.extent, 1)) << text;
      EXPECT_EQ(axis.items, axis.bytes == 7 ? inner : 1) << text;
    }
    EXPECT_EQ(made.loop.extent * made.run.extent, items) << text;
    EXPECT_EQ(made.loop_is_inner, made.loop.bytes == 1) << text;
    EXPECT_GE(made.run.count(0), made.loop.count(0)) << text;
    EXPECT_LE(made.count(), std::max<std::int64_t>(items / 8, 1)) << text;
    EXPECT_EQ(made.written() * (made.block_joins() ? made.group() : made.inner),
              made.count() * made.inner)
        << text;
    if (made.block_joins()) {
      EXPECT_EQ(threads % made.group(), 0u) << text;
    }
  }
}

// A row of 512 f32 in each of 512 blocks, as of the variance over the first and the last axis of
// 512 x 1024 x 512: neighbouring lanes read whole lines, each from block to block, and a block of
// threads writes one part.
TEST(column_parts, of_rows_in_pieces_read_lines) {
  const column_parts made =
      column_parts_of(1024, 1, shared_axis(512, 2 << 20), shared_axis(512, 4), 132, threads);
  EXPECT_TRUE(made.loop_is_inner);
  EXPECT_GE(made.loop.parts, 32);
  EXPECT_TRUE(made.block_joins());
  EXPECT_EQ(made.group(), threads);
}

// Of short rows the other axis is the longer one, and is run along.
TEST(column_parts, of_short_rows_run_across) {
  const column_parts made =
      column_parts_of(100, 1, shared_axis(50'000, 4000), shared_axis(3, 4), 132, threads);
  EXPECT_EQ(made.run.bytes, 4000);
  EXPECT_TRUE(made.loop_is_inner);
}

}  // namespace
}  // namespace onefold::cuda
