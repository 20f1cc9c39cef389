// SPDX-License-Identifier: Apache-2.0
// The tree above chunks: its shape, shown by additions that round, and its joints.
#include "state/chunk_tree.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "support/random.hpp"

namespace onefold::test {
namespace {

// The largest power of two that leaves something, plus the rest.
float recursive(const std::vector<float>& x, std::size_t first, std::size_t n) {
  if (n == 1) return x[first];
  const std::size_t left = std::bit_floor(n - 1);
  return recursive(x, first, left) + recursive(x, first + left, n - left);
}

TEST(chunk_tree, has_the_documented_shape_for_every_number_of_chunks) {
  std::vector<float> x;
  chunk_tree tree((fast_total<float>()));
  random_source random = source_of(810, 0);
  for (std::size_t n = 1; n <= 600; ++n) {
    x.push_back(float(random.unit()) * float(1 << random.below(20)));
    tree.push(fast_total<float>{x.back()});
    EXPECT_EQ(std::get<fast_total<float>>(tree.value()).value, recursive(x, 0, n)) << n;
    EXPECT_EQ(tree.chunks(), n);
  }
}

TEST(chunk_tree, takes_complete_trees_as_the_chunks_that_they_are_of) {
  random_source random = source_of(811, 0);
  for (int repeat = 0; repeat < 100; ++repeat) {
    chunk_tree one_by_one((fast_total<float>())), by_trees((fast_total<float>()));
    for (int part = 0; part < 20; ++part) {
      const std::uint64_t chunks = by_trees.chunks();
      std::uint64_t weight = 1;
      while (weight < 64 && chunks % (2 * weight) == 0 && random.one_in(2)) weight *= 2;
      chunk_tree own((fast_total<float>()));
      for (std::uint64_t k = 0; k < weight; ++k) {
        const fast_total<float> chunk{float(random.unit()) * float(1 << random.below(20))};
        own.push(chunk), one_by_one.push(chunk);
      }
      by_trees.push(own.value(), weight);
      EXPECT_EQ(by_trees.chunks(), one_by_one.chunks());
      EXPECT_EQ(std::get<fast_total<float>>(by_trees.value()).value,
                std::get<fast_total<float>>(one_by_one.value()).value);
    }
  }
}

TEST(chunk_tree, of_nothing_is_the_state_of_nothing) {
  const chunk_tree tree((fast_moments<double>()));
  EXPECT_EQ(std::get<fast_moments<double>>(tree.value()).count, 0);
}

TEST(chunk_tree, appends_integers_modulo_2_to_64) {
  ordered_state left = fast_total<std::uint64_t>{~std::uint64_t(0)};
  append(left, fast_total<std::uint64_t>{3});
  EXPECT_EQ(std::get<fast_total<std::uint64_t>>(left).value, 2u);
}

TEST(fast_moments, with_nothing_on_either_side_are_what_they_were) {
  fast_moments<float> left{3, 1.5f, 2.0f};
  left.append({});
  EXPECT_EQ(left.count, 3);
  EXPECT_EQ(left.mean, 1.5f);
  fast_moments<float> nothing;
  nothing.append(left);
  EXPECT_EQ(nothing.count, 3);
  EXPECT_EQ(nothing.mean, 1.5f);
  EXPECT_EQ(nothing.squares, 2.0f);
}

// 0, 2 and 4, 6: mean 3, squares 9 + 1 + 1 + 9.
TEST(fast_moments, merge_by_chans_formula) {
  fast_moments<double> left{2, 1, 2};
  left.append({2, 5, 2});
  EXPECT_EQ(left.mean, 3);
  EXPECT_EQ(left.squares, 20);
  EXPECT_EQ(left.count, 4);
}

}  // namespace
}  // namespace onefold::test
