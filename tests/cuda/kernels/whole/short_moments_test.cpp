// SPDX-License-Identifier: Apache-2.0
// Exact moments of bfloat16 under the executor: which way tiles go, by their spread.

#include "cuda/kernels/whole/short_runs.hpp"
#include "cuda/kernels/whole/whole_runs.hpp"
#include "onefold/detail/exact_moments.hpp"

namespace onefold::test {
namespace {

way_counts ways_of(const std::vector<bf16>& x, const char* where) {
  exact_moments<bf16> both;
  for (const bf16 element : x) both.add(element);
  const whole_run run = run_whole(moments_kernel(dtype::bf16), x, x, {1, 32});
  EXPECT_EQ(run.words, words_of(both)) << where;
  return run.ways;
}

TEST(cuda_short_moments, of_a_lane_are_in_one_double_where_it_holds_them) {
  const std::int64_t tile = moments_kernel(dtype::bf16).tile_items;
  constexpr way_row rows[] = {{0, 10, 0}, {16, 10, 0}, {17, 10, 10}, {56, 10, 10}, {57, 0, 0}};
  for (const auto& row : rows)
    for (const bool minus : {false, true})
      expect_ways(ways_of(spread_in_tiles(tile, row.binades, minus), "spread"), row);
}

TEST(cuda_short_moments, of_the_least_and_the_largest_elements_are_fast) {
  for (const std::uint16_t each : {0x0001, 0x0003, 0x007F, 0x0080, 0x00FF, 0x7F7F, 0xFF7F}) {
    const std::vector<bf16> x(1024 * 5, bf16{each});
    EXPECT_EQ(ways_of(x, "one value").fast_tiles, 10u) << each;
  }
}

TEST(cuda_short_moments, empty_their_levels_in_time) {
  std::vector<bf16> x(1024 * 1100, bf16{0xC3FF});
  for (std::size_t i = 0; i < 1024; ++i) x[i] = bf16{0x3F80};
  EXPECT_EQ(ways_of(x, "full levels").fast_tiles, 2 * 1100u);
}

}  // namespace
}  // namespace onefold::test
