// SPDX-License-Identifier: Apache-2.0
// Exact sums of products of bfloat16 under the executor: which way tiles go, by their spread.

#include "cuda/kernels/whole/short_runs.hpp"
#include "cuda/kernels/whole/whole_runs.hpp"

namespace onefold::test {
namespace {

using reduced = onefold::accumulator;

way_counts ways_of(reduced answers, const std::vector<bf16>& x, const std::vector<bf16>& y,
                   const char* where) {
  const whole_run run = run_whole(exact_whole_kernel(answers, dtype::bf16), x, y, {1, 32});
  EXPECT_EQ(run.words, state_of(answers, x, y)) << where;
  return run.ways;
}

std::vector<bf16> spread_over(reduced answers, int binades, bool minus = false) {
  return spread_in_tiles(exact_whole_kernel(answers, dtype::bf16).tile_items, binades, minus);
}

// 5 tiles, each run taken twice.
TEST(cuda_short_products, of_a_lane_are_in_one_double_where_it_holds_them) {
  constexpr way_row square_rows[] = {
      {0, 10, 0}, {16, 10, 0}, {17, 10, 10}, {59, 10, 10}, {60, 0, 0}};
  for (const auto& row : square_rows) {
    const auto x = spread_over(reduced::squares, row.binades);
    expect_ways(ways_of(reduced::squares, x, x, "squares"), row);
  }
  constexpr way_row product_rows[] = {
      {0, 10, 0}, {33, 10, 0}, {34, 10, 10}, {119, 10, 10}, {120, 0, 0}};
  for (const auto& row : product_rows)
    for (const bool minus : {false, true}) {
      const auto x = spread_over(reduced::products, row.binades, minus);
      const auto y = spread_over(reduced::products, 0);
      expect_ways(ways_of(reduced::products, x, y, "products"), row);
      expect_ways(ways_of(reduced::products, y, x, "products"), row);
    }
}

TEST(cuda_short_products, have_the_exponent_range_of_both_factors) {
  for (const int x_binades : {3, 16, 17, 30})
    for (const int sum : {33, 34}) {
      const auto x = spread_over(reduced::products, x_binades);
      const auto y = spread_over(reduced::products, sum - x_binades, true);
      expect_ways(ways_of(reduced::products, x, y, "both"), {sum, 10, sum > 33 ? 10u : 0u});
    }
}

TEST(cuda_short_products, do_not_count_zeros_in_the_exponent_range) {
  for (const reduced kind : {reduced::squares, reduced::products}) {
    auto x = spread_over(kind, 16);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i % 3 == 0 || i / 8 % 5 == 0) x[i] = make<bf16>(i % 2 == 0, -127, 0);
    const way_counts ways = ways_of(kind, x, spread_over(kind, 0), "zeros");
    EXPECT_EQ(ways.fast_tiles, 10u);
    EXPECT_EQ(ways.wide_tiles, 0u);
  }
}

// Squares of the least subnormals are the unit of the sum; the largest leave no room above.
TEST(cuda_short_products, of_the_least_and_the_largest_elements_are_fast) {
  const std::size_t n = 1024 * 5;
  for (const std::uint16_t each : {0x0001, 0x0003, 0x007F, 0x0080, 0x00FF, 0x7F7F, 0xFF7F})
    for (const reduced kind : {reduced::squares, reduced::products}) {
      const std::vector<bf16> x(n, bf16{each});
      const way_counts ways = ways_of(kind, x, x, "one value");
      EXPECT_EQ(ways.fast_tiles,
                2 * n / std::size_t(exact_whole_kernel(kind, dtype::bf16).tile_items));
    }
}

// A field above all others in x, whose sum with that of y is small.
TEST(cuda_short_products, of_infinities_and_zeros_are_not_added) {
  for (const std::uint16_t special : {0x7F80, 0xFF80, 0x7FC0}) {
    std::vector<bf16> x(1024, bf16{0x3F80}), y(x.size(), bf16{0});
    x[300] = bf16{special};
    EXPECT_EQ(ways_of(reduced::products, x, y, "x").fast_tiles, 2u);
    EXPECT_EQ(ways_of(reduced::products, y, x, "y").fast_tiles, 2u);
  }
}

// More tiles than levels take at once, all as large as the window allows.
TEST(cuda_short_products, empty_their_levels_in_time) {
  for (const reduced kind : {reduced::squares, reduced::products}) {
    const auto tile = std::size_t(exact_whole_kernel(kind, dtype::bf16).tile_items);
    std::vector<bf16> x(tile * 2100, bf16{0x43FF}), y(x.size(), bf16{0xC3FF});
    for (std::size_t i = 0; i < tile; ++i) x[i] = y[i] = bf16{0x3F80};
    EXPECT_EQ(ways_of(kind, x, y, "full levels").fast_tiles, 2 * 2100u);
  }
}

}  // namespace
}  // namespace onefold::test
