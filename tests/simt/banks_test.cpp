// SPDX-License-Identifier: Apache-2.0
#include "simt/banks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace onefold::simt {
namespace {

lane_addresses request(unsigned size_bytes, const std::function<std::size_t(unsigned)>& offset,
                       std::uint32_t lanes = ~0u) {
  lane_addresses r;
  r.lanes = lanes;
  r.size_bytes = size_bytes;
  for (unsigned lane = 0; lane < max_warp_lanes; ++lane) r.offset[lane] = offset(lane);
  return r;
}

lane_addresses strided(unsigned size_bytes, std::size_t stride_bytes, std::uint32_t lanes = ~0u) {
  return request(
      size_bytes, [=](unsigned lane) { return lane * stride_bytes; }, lanes);
}

TEST(shared_memory, a_stride_of_k_words_is_a_gcd_k_32_way_conflict) {
  for (std::size_t k = 1; k <= 64; ++k) {
    const shared_cost cost = cost_in_shared_memory(strided(4, 4 * k));
    EXPECT_EQ(cost.wavefronts, std::gcd(k, std::size_t{banks})) << k;
    EXPECT_EQ(cost.phases, 1u);
  }
}

TEST(shared_memory, lanes_that_want_the_same_word_share_a_wavefront) {
  EXPECT_EQ(cost_in_shared_memory(strided(4, 0)).wavefronts, 1u);
  EXPECT_EQ(cost_in_shared_memory(strided(1, 1)).wavefronts, 1u);
}

TEST(shared_memory, wide_elements_are_served_in_phases_of_128_bytes) {
  EXPECT_EQ(cost_in_shared_memory(strided(8, 8)).wavefronts, 2u);
  EXPECT_EQ(cost_in_shared_memory(strided(8, 8)).phases, 2u);
  EXPECT_EQ(cost_in_shared_memory(strided(16, 16)).wavefronts, 4u);
  EXPECT_EQ(cost_in_shared_memory(strided(16, 16)).phases, 4u);
  // Eight lanes a phase, all in the same four banks.
  EXPECT_EQ(cost_in_shared_memory(strided(16, 128)).wavefronts, 32u);
}

TEST(shared_memory, a_phase_without_lanes_costs_nothing) {
  EXPECT_EQ(cost_in_shared_memory(strided(8, 8, 0x0000FFFF)).wavefronts, 1u);
  EXPECT_EQ(cost_in_shared_memory(strided(4, 4, 0)).wavefronts, 0u);
}

TEST(global_memory, a_full_warp_of_words_is_four_sectors_of_one_line) {
  EXPECT_EQ(cost_in_global_memory(strided(4, 4)).sectors, 4u);
  EXPECT_EQ(cost_in_global_memory(strided(4, 4)).lines, 1u);
}

TEST(global_memory, a_misaligned_warp_needs_a_fifth_sector) {
  const auto shifted = request(4, [](unsigned lane) { return 16 + 4 * lane; });
  EXPECT_EQ(cost_in_global_memory(shifted).sectors, 5u);
  EXPECT_EQ(cost_in_global_memory(shifted).lines, 2u);
}

TEST(global_memory, far_lanes_need_a_sector_each) {
  EXPECT_EQ(cost_in_global_memory(strided(4, 1024)).sectors, 32u);
  EXPECT_EQ(cost_in_global_memory(strided(4, 1024, 1)).sectors, 1u);
  EXPECT_EQ(cost_in_global_memory(strided(16, 16)).sectors, 16u);
}

}  // namespace
}  // namespace onefold::simt
