// SPDX-License-Identifier: Apache-2.0
// How segments are cut into work ranges, which has to cover them and nothing more.

#include "cuda/kernels/segments/segments_shape.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace onefold::test {
namespace {

cuda::segments_request request_of(op op, dtype input) {
  return {op, accuracy::exact, nan_policy::propagate, input, default_output(op, input)};
}

cuda::segments_shape shape_of(op op, dtype input, std::int64_t items, std::int64_t count) {
  cuda::segments_block block;
  block.items = items, block.count = count;
  return cuda::shape_of_segments(request_of(op, input), block);
}

TEST(cuda_segments_shape, covers_all_and_has_no_empty_block) {
  random_source random = source_of(1, 0);
  for (int i = 0; i < 2000; ++i) {
    const dtype input = random.one_in(2) ? dtype::f64 : dtype::u8;
    const std::int64_t items = random.between(0, 1 << random.between(0, 30));
    const std::int64_t count = random.between(1, 1 << random.between(0, 24));
    const auto shape = shape_of(random.one_in(2) ? op::sum : op::max, input, items, count);
    const std::int64_t all = items + count * shape.segment_weight;
    const std::int64_t early = std::min(shape.early, shape.blocks) * shape.work_range * 4;
    const std::int64_t late = shape.late * 4;
    EXPECT_LE(shape.early, shape.blocks);
    EXPECT_GE(early + (shape.blocks - shape.early) * late, all) << items << " in " << count;
    EXPECT_LT(early + (shape.blocks - shape.early - 1) * late, all) << items << " in " << count;
  }
}

TEST(cuda_segments_shape, ends_with_short_work_ranges_for_sums) {
  const auto tapers = [](op op, std::int64_t items, std::int64_t mean) {
    const auto shape = shape_of(op, dtype::f32, items, items / mean);
    const bool shorter = shape.late < shape.work_range;
    EXPECT_EQ(shorter, shape.early > 0);
    return shorter;
  };
  constexpr std::int64_t enough = std::int64_t(1) << 29;
  EXPECT_FALSE(tapers(op::sum, enough, 15));
  EXPECT_TRUE(tapers(op::sum, enough, 16));
  EXPECT_TRUE(tapers(op::norm2, enough, 4096));
  EXPECT_FALSE(tapers(op::max, enough, 4096));
  EXPECT_FALSE(tapers(op::sum, enough / 16, 4096));
}

TEST(cuda_segments_shape, evicts_the_elements_of_long_sums_first) {
  constexpr std::int64_t items = std::int64_t(1) << 28;
  EXPECT_FALSE(shape_of(op::sum, dtype::f32, items, items / 63).leave_first);
  EXPECT_TRUE(shape_of(op::sum, dtype::f32, items, items / 64).leave_first);
  EXPECT_FALSE(shape_of(op::sum, dtype::bf16, items, items / 64).leave_first);
  EXPECT_FALSE(shape_of(op::argmax, dtype::f32, items, items / 64).leave_first);
}

}  // namespace
}  // namespace onefold::test
