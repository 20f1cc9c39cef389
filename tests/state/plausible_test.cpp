// SPDX-License-Identifier: Apache-2.0
// Words of states are let in, words that no elements leave are not.
#include "state/plausible.hpp"

#include <gtest/gtest.h>

#include "support/dot_oracle.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

template <class State>
bool let_in(const std::vector<std::int64_t>& words) {
  return plausible(detail::tag<State>{}, words);
}

template <class State>
std::vector<std::int64_t> with(const State& state, std::size_t index, std::int64_t word) {
  auto words = words_of(state);
  words[index] = word;
  return words;
}

template <class T>
void try_families(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < 600; ++k) {
    random_source random = source_of(stream, k);
    const auto& all = families<T>();
    std::vector<T> x(random.below(40)), y(x.size());
    all[k % all.size()].fill(random, x.data(), x.size());
    all[random.below(all.size())].fill(random, y.data(), y.size());
    exact_dot<T> dot;
    exact_moments<T> moments;
    for (std::size_t i = 0; i < x.size(); ++i) dot.add(x[i], y[i]), moments.add(x[i]);
    EXPECT_TRUE(let_in<exact_sum<T>>(words_of(moments.sum())));
    EXPECT_TRUE(let_in<exact_dot<T>>(words_of(dot)));
    EXPECT_TRUE(let_in<exact_moments<T>>(words_of(moments)));
    EXPECT_TRUE(let_in<exact_moments<T>>(words_of(moments.without_nans())));
    EXPECT_TRUE(plausible_squares(detail::tag<exact_dot<T>>{}, words_of(moments.squares())));
    ASSERT_FALSE(testing::Test::HasFailure())
        << "ONEFOLD_TEST_SEED=" << seed() << ", case " << k << "\n"
        << hex(x.data(), x.size());
  }
}

TEST(plausible_words, are_those_of_states) {
  try_families<double>(2600);
  try_families<float>(2601);
  try_families<bf16>(2602);
  try_families<f16>(2603);
  for (std::uint64_t k = 0; k < 600; ++k) {
    random_source random = source_of(2604, k);
    exact_dot<int> dot;
    exact_moments<int> moments;
    for (auto i = random.below(5); i > 0; --i) {
      const auto x = random.one_in(2) ? INT64_MIN : std::int64_t(random() >> random.below(63));
      dot.add(x, random()), moments.add(x);
    }
    EXPECT_TRUE(let_in<exact_dot<int>>(words_of(dot)));
    EXPECT_TRUE(let_in<exact_moments<int>>(words_of(moments)));
  }
}

TEST(plausible_words, are_no_limbs_and_counts_that_no_products_leave) {
  exact_dot<float> dot;
  dot.add(1.0F, 2.0F), dot.add(3.0F, -4.0F);
  constexpr std::size_t top = 19, count = 20, nans = 21, plus = 22, minus = 23, only_zeros = 24,
                        invalid = 25;
  const auto refused = [&](std::size_t index, std::int64_t word) {
    return !let_in<exact_dot<float>>(with(dot, index, word));
  };
  EXPECT_TRUE(refused(0, -1));
  EXPECT_TRUE(refused(3, std::int64_t(1) << 32));
  EXPECT_TRUE(refused(top, std::int64_t(1) << 31));
  EXPECT_TRUE(refused(top, 1)) << "two products cannot reach so far up";
  EXPECT_TRUE(refused(count, 0));
  EXPECT_TRUE(refused(count, -1));
  for (const std::size_t specials : {nans, plus, minus, invalid}) {
    EXPECT_TRUE(refused(specials, -1));
    EXPECT_TRUE(refused(specials, 3));
    EXPECT_FALSE(refused(specials, 1));
  }
  EXPECT_TRUE(refused(only_zeros, 1));
  EXPECT_TRUE(refused(only_zeros, 2));
  exact_dot<float> zero;
  zero.add(0.0F, -1.0F);
  EXPECT_TRUE(let_in<exact_dot<float>>(words_of(zero)));
  EXPECT_FALSE(let_in<exact_dot<float>>(with(zero, invalid, 1))) << "Inf * 0 is no -0";
  EXPECT_FALSE(let_in<exact_dot<float>>(with(zero, plus, 1)));
  EXPECT_TRUE(let_in<exact_dot<float>>(with(zero, nans, 1))) << "a NaN alone";
  EXPECT_FALSE(let_in<exact_dot<float>>(with(exact_dot<float>{}, only_zeros, 0)));
}

TEST(plausible_words, are_no_moments_of_two_sums_that_do_not_belong_together) {
  exact_moments<f16> moments;
  for (const unsigned bits : {0x3C00u, 0xC000u, 0x4200u}) moments.add(f16{std::uint16_t(bits)});
  constexpr std::size_t sum_words = 10, squares = sum_words, count = 5;
  const auto refused = [&](std::size_t index, std::int64_t word) {
    return !let_in<exact_moments<f16>>(with(moments, index, word));
  };
  EXPECT_TRUE(let_in<exact_moments<f16>>(words_of(moments)));
  EXPECT_TRUE(refused(count, 4)) << "the counts differ";
  EXPECT_TRUE(refused(count + 1, 1)) << "the NaNs differ";
  EXPECT_TRUE(refused(count + 2, 1)) << "the infinities differ";
  EXPECT_TRUE(refused(squares + 6 + 3, 1)) << "a square of -Inf";
  EXPECT_TRUE(refused(squares + 6 + 5, 1)) << "a square Inf * 0";
  EXPECT_TRUE(refused(squares + 5, -1)) << "a sum of squares below zero";
  EXPECT_TRUE(refused(squares + 1, 0)) << "too small for the sum next to it";
  EXPECT_TRUE(refused(1, 1)) << "too large for the squares next to it";
  exact_moments<f16> zeros;
  zeros.add(f16{0x8000});
  EXPECT_FALSE(let_in<exact_moments<f16>>(with(zeros, squares, 1))) << "the square of -0 is 0";
}

TEST(plausible_words, are_no_integers_that_so_few_products_cannot_reach) {
  exact_dot<int> dot;
  dot.add(-1, 2), dot.add(3, 4);
  const auto refused = [&](std::size_t index, std::int64_t word) {
    return !let_in<exact_dot<int>>(with(dot, index, word));
  };
  EXPECT_TRUE(refused(2, 3));
  EXPECT_TRUE(refused(2, -3));
  EXPECT_FALSE(refused(2, -2));
  EXPECT_TRUE(refused(3, 0));
  EXPECT_TRUE(refused(3, -1));
  exact_moments<int> moments;
  moments.add(5), moments.add(-7);
  EXPECT_TRUE(let_in<exact_moments<int>>(words_of(moments)));
  EXPECT_FALSE(let_in<exact_moments<int>>(with(moments, 2, 3))) << "the counts differ";
  EXPECT_FALSE(let_in<exact_moments<int>>(with(moments, 3, 1))) << "squares of 1 for a sum of -2";
  EXPECT_FALSE(let_in<exact_moments<int>>(with(moments, 5, -1))) << "squares below zero";
}

}  // namespace
}  // namespace onefold::test
