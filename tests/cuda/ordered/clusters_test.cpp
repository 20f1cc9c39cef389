// SPDX-License-Identifier: Apache-2.0
// Sums of exponentials in clusters of one, two and four blocks: the bits of the CPU's engine, and
// no wait without which nothing fails.

#include <gtest/gtest.h>

#include <limits>

#include "cuda/ordered/chunk_words.hpp"
#include "cuda/ordered/cluster_kernels.hpp"
#include "simt/device.hpp"
#include "support/elements.hpp"
#include "tests/simt/left_out_waits.hpp"

namespace onefold::test {
namespace {

using onefold::accumulator;
using simt::wait_kind;

struct cluster_case {
  unsigned blocks, cluster;
  int offset = 0;
  simt::schedule order = simt::schedule::forward;
};

template <class T>
std::vector<T> make_array(std::uint64_t index, std::size_t n) {
  random_source random = source_of(343, index);
  std::vector<T> x(n);
  for (T& each : x) each = any_of_exponent<T>(random, random.between(-2, 2));
  return x;
}

template <class T>
void check(const std::vector<T>& x, const cluster_case& c) {
  simt::device gpu;
  std::vector<T> padded(static_cast<std::size_t>(c.offset));
  padded.insert(padded.end(), x.begin(), x.end());
  const T* const there = gpu.memory().copy(std::span<const T>(padded), "x") + c.offset;
  const std::size_t words = 4 * chunks_of(x.size());
  auto* const parts = gpu.memory().allocate<std::int64_t>(words, "parts");
  log_sum_in_clusters(dtype_of<T>)(gpu,
                                   {.grid = {c.blocks}, .order = c.order, .cluster = c.cluster},
                                   there, std::int64_t(x.size()), parts);
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << f.text();
  for (std::size_t at = 0; at < words; at += 4)
    make_comparable(accumulator::log_sum, false, parts + at);
  EXPECT_TRUE(chunk_word_list(parts, parts + words) == expected_words(accumulator::log_sum, x))
      << "ONEFOLD_TEST_SEED=" << seed() << ": n = " << x.size() << ", " << c.blocks
      << " blocks in clusters of " << c.cluster << ", offset " << c.offset;
}

TEST(Clusters, OfOneBlockHaveTheBitsOfTheCpu) {
  check(make_array<f16>(1, 3 * chunk_items + 777), {2, 1, 0, simt::schedule::shuffled});
  check(make_array<f16>(2, chunk_items + 5), {1, 1, 3});
}

TEST(Clusters, OfSeveralBlocksHaveTheBitsOfTheCpu) {
  check(make_array<float>(3, 2 * chunk_items + 4099), {2, 2});
  check(make_array<float>(4, 3 * chunk_items + 64), {4, 2, 1, simt::schedule::reverse});
  check(make_array<float>(5, chunk_items + 70), {4, 4, 0, simt::schedule::shuffled});
}

TEST(Clusters, KnowNans) {
  auto x = make_array<float>(6, 2 * chunk_items + 99);
  x[7] = x[chunk_items + 9] = std::numeric_limits<float>::quiet_NaN();
  check(x, {2, 2});
}

// The second array begins within a vector.
TEST(Clusters, NeedEveryWait) {
  auto x = make_array<float>(7, 2 * chunk_items + 99);
  x[7] = x[chunk_items + 9] = std::numeric_limits<float>::quiet_NaN();
  const auto run = [&] { check(x, {2, 2}), check(x, {2, 2, 1}); };
  EXPECT_EQ(simt::test::expect_every_wait_counts("src/cuda/parts/cluster.cuh", run),
            (std::set{wait_kind::mbarrier_wait, wait_kind::cluster_barrier}));
  EXPECT_EQ(simt::test::expect_every_wait_counts("src/cuda/ordered/log_sum.cuh", run,
                                                 {wait_kind::warp_barrier}),
            (std::set{wait_kind::block_barrier, wait_kind::warp_barrier, wait_kind::commit,
                      wait_kind::copy_wait, wait_kind::mbarrier_wait, wait_kind::cluster_barrier}));
}

}  // namespace
}  // namespace onefold::test
