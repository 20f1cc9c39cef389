// SPDX-License-Identifier: Apache-2.0
// Rows of a few floats under the executor: their means and norms by the ways of plain sums.

#include "cuda/kernels/batched/float_runs.hpp"

namespace onefold::test {
namespace {

// Means and norms of rows of which a vector, or N of them, hold several.
TEST(cuda_batched_few, have_right_means_and_norms_of_every_family) {
  for (const reduced kind : {reduced::total, reduced::squares})
    for (std::size_t family = 0; family < families<float>().size(); ++family)
      for (const bool packed : {true, false}) {
        random_source random = source_of(30 + std::uint64_t(kind), 2 * family + packed);
        const int lengths[] = {3, 5, 6, 7};
        const batched_case c = {.outer = random.between(1, 150),
                                .n = packed ? 2 : lengths[random.below(4)],
                                .inner = 1,
                                .which = kind == reduced::total ? kind::mean : kind::root,
                                .output = dtype::f32,
                                .blocks = unsigned(random.between(1, 3))};
        if (!check<float>(kind, c, fill<float>(random, c, family))) return;
      }
}

TEST(cuda_batched_few, have_means_of_two_that_are_rounded_once) {
  random_source random = source_of(40, 0);
  for (int i = 0; i < 20000; ++i) {
    std::uint32_t bits[2] = {std::uint32_t(random()), std::uint32_t(random())};
    // Of near exponents; the largest ones; subnormal ones.
    if (i % 4 > 0) bits[1] = bits[0] ^ (bits[1] & 0x81FFFFFF);
    if (i % 4 == 2) bits[0] |= 0x7E000000, bits[1] |= 0x7E000000;
    if (i % 4 == 3) bits[0] &= 0x81FFFFFF, bits[1] &= 0x81FFFFFF;
    const float x = as_float<float>(bits[0]), y = as_float<float>(bits[1]);
    exact_sum<float> sum;
    sum.add(x), sum.add(y);
    ASSERT_EQ(cuda::mean_of_two(x, y), as_bits(sum.mean<float>()))
        << hex(bits[0]) << " and " << hex(bits[1]) << ", seed " << seed();
  }
}

}  // namespace
}  // namespace onefold::test
