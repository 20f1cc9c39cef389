// SPDX-License-Identifier: Apache-2.0
// A user's operator on a GPU, under the executor: what the elements give one by one, in any order
// of blocks and lanes, twice in one workspace, and nothing is reported.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "onefold/custom.hpp"
#include "simt/device.hpp"
#include "support/random.hpp"
#include "tests/cuda/custom_kernels.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::source_of;

static_assert(reducer<affine, std::uint32_t> && reducer<longest_run, std::uint8_t>);

template <class R, class T>
R folded(const std::vector<T>& x) {
  R state;
  for (const T& element : x) state.add(element);
  return state;
}

/// The answers of launches that follow one another in one workspace, which must all be one.
template <class R, class T>
R reduced(const std::vector<T>& x, std::int64_t offset = 0, std::int64_t longer = 1) {
  simt::device gpu;
  const auto n = std::int64_t(x.size());
  std::vector<T> padded(static_cast<std::size_t>(offset));
  padded.insert(padded.end(), x.begin(), x.end());
  const T* const in = gpu.memory().copy(std::span<const T>(padded), "x") + offset;
  auto* const workspace =
      gpu.memory().template allocate<unsigned char>(cut_of<R, T>(n).workspace_bytes, "workspace");
  std::memset(workspace, 0, 4);
  gpu.memory().mark_written(gpu.memory().offset_of(workspace), 4);
  R answers[3];
  const simt::schedule orders[] = {simt::schedule::forward, simt::schedule::shuffled,
                                   simt::schedule::reverse};
  for (int i = 0; i < 3; ++i) {
    R* const answer = gpu.memory().template allocate<R>(1, "answer");
    launch_custom<R, T>(gpu, orders[i], in, n, longer, workspace, answer);
    for (const auto& finding : gpu.report()) ADD_FAILURE() << n << ": " << finding.text();
    unsigned ticket = 1;
    std::memcpy(&ticket, workspace, sizeof ticket);
    EXPECT_EQ(ticket, 0u) << n;
    answers[i] = *answer;
    EXPECT_TRUE(answers[i] == answers[0]) << n << " elements, another order of lanes";
  }
  return answers[0];
}

template <class T>
std::vector<std::int64_t> sizes() {
  const std::int64_t step = 128 / std::int64_t(sizeof(T)), block = 128 * step;
  return {0,         1,
          2,         step - 1,
          step,      step + 1,
          31 * step, 32 * step,
          block - 1, block,
          block + 1, 2 * block + step + 1,
          7 * block, 131 * step + 3};
}

TEST(cuda_custom, maps_that_do_not_commute_are_composed_in_order) {
  for (const std::int64_t n : sizes<std::uint32_t>())
    for (const std::int64_t offset : {0, 1}) {
      random_source random = source_of(800, std::uint64_t(n));
      std::vector<std::uint32_t> x(static_cast<std::size_t>(n));
      for (auto& element : x) element = std::uint32_t(random());
      const auto got = reduced<affine>(x, offset);
      EXPECT_TRUE(got == folded<affine>(x)) << n << " at " << offset;
      EXPECT_TRUE(got == reduce_with(affine(), x)) << n << ": the CPU";
    }
}

TEST(cuda_custom, bytes_and_a_state_of_four_words) {
  for (const std::int64_t n : {0, 1, 127, 128, 129, 16384, 16385, 40001}) {
    random_source random = source_of(801, std::uint64_t(n));
    std::vector<std::uint8_t> x(static_cast<std::size_t>(n), 1);
    const std::uint64_t gap = 2 + random.below(5000);
    for (auto& element : x) element = random.one_in(gap) ? 0 : 1;
    EXPECT_TRUE(reduced<longest_run>(x, 3) == folded<longest_run>(x)) << n;
  }
}

TEST(cuda_custom, runs_of_many_steps) {
  for (const std::int64_t n : {9000, 20011, 40001}) {
    random_source random = source_of(803, std::uint64_t(n));
    std::vector<std::uint32_t> x(static_cast<std::size_t>(n));
    for (auto& element : x) element = std::uint32_t(random());
    for (const std::int64_t longer : {2, 3, 7})
      EXPECT_TRUE(reduced<affine>(x, 1, longer) == folded<affine>(x)) << n << " by " << longer;
  }
}

TEST(cuda_custom, doubles) {
  for (const std::int64_t n : sizes<double>()) {
    std::vector<double> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(i) + 0.5;
    EXPECT_TRUE(reduced<ends>(x) == folded<ends>(x)) << n;
  }
}

// The tree of the header, written down: runs in order, then pairs of neighbours in a warp, then
// warps, then shares of blocks.
centre sum_of_run(const std::vector<point>& x, std::int64_t first, std::int64_t run) {
  centre sum;
  for (std::int64_t i = first; i < std::min(first + run, std::int64_t(x.size())); ++i)
    sum.add(x[std::size_t(i)]);
  return sum;
}

centre merged(std::vector<centre> lanes) {
  for (std::size_t warp = 0; warp < lanes.size(); warp += 32)
    for (std::size_t step = 1; step < 32; step *= 2)
      for (std::size_t i = 0; i < 32; i += 2 * step) lanes[warp + i].merge(lanes[warp + i + step]);
  for (std::size_t warp = 32; warp < lanes.size(); warp += 32) lanes[0].merge(lanes[warp]);
  return lanes[0];
}

centre by_the_tree(const std::vector<point>& x, const custom_cut& cut) {
  std::vector<centre> blocks;
  for (unsigned b = 0; b < cut.blocks; ++b) {
    std::vector<centre> lanes(128);
    for (std::size_t i = 0; i < 128; ++i)
      lanes[i] = sum_of_run(x, (std::int64_t(b) * 128 + std::int64_t(i)) * cut.run, cut.run);
    blocks.push_back(merged(lanes));
  }
  if (blocks.size() == 1) return blocks[0];
  std::vector<centre> lanes(128);
  const std::size_t share = (blocks.size() + 127) / 128;
  for (std::size_t i = 0; i < blocks.size(); ++i) lanes[i / share].merge(blocks[i]);
  return merged(lanes);
}

TEST(cuda_custom, rounded_sums_have_the_order_that_is_told) {
  for (const std::int64_t n : {1, 1000, 1025, 20000, 134147}) {
    random_source random = source_of(802, std::uint64_t(n));
    std::vector<point> x(static_cast<std::size_t>(n));
    const auto any = [&] { return float(std::int64_t(random()) >> random.below(60)); };
    for (auto& p : x) p = {any(), any(), any()};
    const custom_cut cut = cut_of<centre, point>(n);
    EXPECT_TRUE(reduced<centre>(x) == by_the_tree(x, cut)) << n;
  }
}

TEST(cuda_custom, the_cut_covers_every_element_once) {
  for (const std::int64_t n : {std::int64_t(0), std::int64_t(1), std::int64_t(1) << 20,
                               (std::int64_t(1) << 31) + 1, std::int64_t(1) << 40}) {
    const custom_cut cut = cut_of<affine, std::uint32_t>(n);
    EXPECT_GE(std::int64_t(cut.blocks) * 128 * cut.run, n);
    EXPECT_TRUE(cut.blocks == 1 || (std::int64_t(cut.blocks) - 1) * 128 * cut.run < n) << n;
    EXPECT_LE(cut.blocks, 1056u);
    EXPECT_EQ(cut.run % 32, 0);
    EXPECT_GE(cut.workspace_bytes, 16 + cut.blocks * sizeof(affine));
  }
}

}  // namespace
}  // namespace onefold::cuda::test
