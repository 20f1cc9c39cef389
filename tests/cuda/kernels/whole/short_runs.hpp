// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arrays of bfloat16 of a given spread, and the ways that their tiles are to go.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "cuda/kernels/whole/exact_kernels.hpp"
#include "support/elements.hpp"

namespace onefold::test {

/// Five tiles of the largest significands, and in each one element that is so many binades smaller.
inline std::vector<bf16> spread_in_tiles(std::int64_t tile_items, int binades, bool minus = false) {
  std::vector<bf16> x(std::size_t(tile_items) * 5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int field = 254 - 60 - (i % std::size_t(tile_items) == 9 ? binades : 0);
    x[i].bits = std::uint16_t((minus && i % 2 != 0 ? 0x8000 : 0) | field << 7 | 0x7F);
  }
  return x;
}

struct way_row {
  int binades;
  unsigned fast, wide;  ///< tiles of two runs
};

inline void expect_ways(const way_counts& ways, const way_row& row) {
  EXPECT_EQ(ways.fast_tiles, row.fast) << row.binades;
  EXPECT_EQ(ways.wide_tiles, row.wide) << row.binades;
  EXPECT_EQ(ways.binned_ranges > 0, row.fast == 0) << row.binades;
}

}  // namespace onefold::test
