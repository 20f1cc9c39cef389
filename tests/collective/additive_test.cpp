// SPDX-License-Identifier: Apache-2.0
// Words of states that were added, in any order and any tree: the states of all elements, in bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "collective/parts.hpp"
#include "state/element_types.hpp"

namespace onefold::test {
namespace {

constexpr op additive_ops[] = {op::sum,     op::mean,   op::norm1,   op::norm2,
                               op::sumsq,   op::dot,    op::var,     op::stddev,
                               op::any,     op::all,    op::count,   op::count_nonzero,
                               op::bit_and, op::bit_or, op::bit_xor, op::logsumexp};

std::string case_text(std::uint64_t index) {
  return "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(index);
}

// Sometimes a group is made a state on the way: that may not change a bit.
word_group again(random_source& random, const word_group& words, std::int64_t band) {
  // Of logsumexp, elements that are dropped in the highest band of all are words and no state.
  const auto alone = from_additive(words);
  return alone && random.one_in(3) ? to_additive(*alone, band) : words;
}

template <class T>
void expect_union(op op, random_source& random, const std::vector<T>& x) {
  const auto cuts = any_cuts(random, x.size(), 8);
  const state whole = state_of(op, x, 0, x.size());
  const std::int64_t band = additive_band(whole).value();
  std::vector<word_group> groups;
  state merged(op, dtype_of<T>);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const state part = state_of(op, x, cuts[i], cuts[i + 1]);
    groups.push_back(again(random, to_additive(part, band), band));
    EXPECT_EQ(int(groups.back().size()), additive_word_count(op, dtype_of<T>));
    merged.merge(part);
  }
  const auto half = groups.size() / 2;
  if (half > 0) {
    const auto middle = groups.begin() + std::ptrdiff_t(half);
    const auto low = combined(random, std::vector(groups.begin(), middle), add_words);
    groups.erase(groups.begin(), middle);
    groups.push_back(again(random, low, band));
  }
  const auto all = from_additive(combined(random, groups, add_words));
  ASSERT_TRUE(all.ok()) << all.why().message();
  EXPECT_EQ(all->bytes(), merged.bytes()) << name(op) << " of " << name(dtype_of<T>);
  EXPECT_EQ(all->bytes(), whole.bytes());
}

template <class T>
void try_unions(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < 60; ++k) {
    SCOPED_TRACE(case_text(k));
    random_source random = source_of(stream, k);
    const auto x = any_elements<T>(random, k % 10 == 0 ? 3000 : 12);
    for (const op op : additive_ops)
      if (check_element_type(op, dtype_of<T>)) expect_union(op, random, x);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(additive_form, is_the_state_of_the_union) {
  try_unions<double>(3300), try_unions<float>(3301), try_unions<bf16>(3302);
  try_unions<f16>(3303), try_unions<std::int64_t>(3304), try_unions<std::uint64_t>(3305);
  try_unions<std::int8_t>(3306), try_unions<std::uint16_t>(3307);
}

TEST(additive_form, has_the_same_bytes_in_a_thousand_orders) {
  for (const op op : {op::sum, op::dot, op::var, op::count_nonzero}) {
    random_source random = source_of(3310, std::uint64_t(op));
    SCOPED_TRACE(case_text(std::uint64_t(op)));
    std::vector<double> x(64);
    for (double& each : x) each = any_of_exponent<double>(random, random.between(-1074, 1023));
    std::vector<word_group> groups;
    const auto cuts = any_cuts(random, x.size(), 16);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      groups.push_back(to_additive(state_of(op, x, cuts[i], cuts[i + 1])));
    const auto expected = state_of(op, x, 0, x.size()).bytes();
    for (int i = 0; i < 1000; ++i) {
      const auto all = from_additive(combined(random, groups, add_words));
      ASSERT_EQ(all.value().bytes(), expected) << name(op) << ", order " << i;
    }
  }
}

TEST(additive_form, has_the_words_of_its_documentation) {
  struct row {
    onefold::op op;
    dtype input;
    int words;
  };
  for (const auto [op, input, words] :
       {row{op::sum, dtype::f16, 13}, row{op::mean, dtype::bf16, 20}, row{op::sum, dtype::f32, 20},
        row{op::norm1, dtype::f64, 76}, row{op::sumsq, dtype::f16, 15},
        row{op::dot, dtype::f32, 29}, row{op::norm2, dtype::f64, 143}, row{op::var, dtype::f32, 46},
        row{op::stddev, dtype::f64, 216}, row{op::sum, dtype::i8, 8}, row{op::dot, dtype::u64, 10},
        row{op::var, dtype::boolean, 15}, row{op::all, dtype::f32, 6},
        row{op::bit_xor, dtype::u8, 100}, row{op::min, dtype::f32, 0},
        row{op::logsumexp, dtype::bf16, 71}, row{op::logsumexp, dtype::f64, 72},
        row{op::logsumexp, dtype::u8, 72}, row{op::prod, dtype::f64, 0}})
    EXPECT_EQ(additive_word_count(op, input), words) << name(op) << " of " << name(input);

  const std::vector<float> x = {-0.0f, 1.5f, std::nanf(""), -INFINITY};
  const auto words = to_additive(partial(op::mean, x));
  const std::int64_t signature = 1 << 10 | 1 << 4 | 11;
  EXPECT_EQ(words[0], 1);
  EXPECT_EQ(words[1], signature);
  EXPECT_EQ(words[2], signature * signature);
  // 1.5 is 3 * 2^148 in units of 2^-149.
  EXPECT_EQ(words[3 + 4], std::int64_t(3) << (148 - 128));
  EXPECT_EQ(word_group(words.begin() + 15, words.end()), (word_group{4, 1, 0, 1, 1}));
}

// Vectors of answers: the groups of many states in one array, added as one.
TEST(additive_form, adds_arrays_of_groups) {
  random_source random = source_of(3320, 0);
  constexpr std::size_t rows = 5, ranks = 3;
  word_group all;
  std::vector<state> expected(rows, state(op::sum, dtype::f32));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    word_group of_rank;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto x = any_elements<float>(random, 9);
      const state part = partial(op::sum, x);
      const auto words = to_additive(part);
      of_rank.insert(of_rank.end(), words.begin(), words.end());
      expected[row].merge(part);
    }
    all.resize(of_rank.size());
    combine(all, of_rank, add_words);
  }
  const std::span<const std::int64_t> groups(all);
  const std::size_t size = groups.size() / rows;
  for (std::size_t row = 0; row < rows; ++row)
    EXPECT_EQ(from_additive(groups.subspan(row * size, size)).value(), expected[row]);
}

template <class T>
void expect_difference(op op, const std::vector<T>& kept, const std::vector<T>& removed) {
  const state one = state_of(op, kept, 0, kept.size());
  const state other = state_of(op, removed, 0, removed.size());
  word_group all = to_additive(one), gone = to_additive(other);
  combine(all, gone, add_words);
  ASSERT_TRUE(try_negate_additive(gone).ok());
  combine(all, gone, add_words);
  state wanted = one;
  wanted.merge(other).subtract(other);
  const auto left = from_additive(all);
  ASSERT_TRUE(left.ok()) << name(op) << ": " << left.why().message();
  EXPECT_EQ(left->bytes(), wanted.bytes()) << name(op) << " of " << name(dtype_of<T>);
}

template <class T>
void try_differences(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < 150; ++k) {
    SCOPED_TRACE(case_text(k));
    random_source random = source_of(stream, k);
    const auto kept = any_elements<T>(random, 12), removed = any_elements<T>(random, 12);
    for (const op op : additive_ops)
      if (accumulator_of(op) != accumulator::bits && op != op::logsumexp)
        expect_difference(op, kept, removed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(additive_form, negated_removes_as_subtract_does) {
  try_differences<double>(3330), try_differences<float>(3331), try_differences<f16>(3332);
  try_differences<std::int64_t>(3333), try_differences<std::uint8_t>(3334);
}

TEST(additive_form, slides_a_window) {
  random_source random = source_of(3340, 0);
  constexpr std::size_t width = 7;
  std::vector<double> x(200);
  for (double& each : x) each = any_of_exponent<double>(random, random.between(-1074, 1023));
  word_group window = to_additive(state(op::var, dtype::f64));
  for (std::size_t i = 0; i < x.size(); ++i) {
    combine(window, to_additive(state_of(op::var, x, i, i + 1)), add_words);
    if (i >= width) {
      word_group gone = to_additive(state_of(op::var, x, i - width, i - width + 1));
      ASSERT_TRUE(try_negate_additive(gone).ok());
      combine(window, gone, add_words);
    }
    const std::size_t first = i >= width ? i + 1 - width : 0;
    ASSERT_EQ(from_additive(window).value(), state_of(op::var, x, first, i + 1)) << case_text(i);
  }
}

// The bytes of states written before there were words.
TEST(additive_form, takes_states_of_version_1) {
  const std::vector<std::int16_t> x = {3, -5};
  auto bytes = partial(op::sum, x).bytes();
  ASSERT_EQ(std::to_integer<int>(bytes[7]), 1);
  const state read = state::from_bytes(bytes).value();
  EXPECT_EQ(from_additive(to_additive(read)).value().bytes(), bytes);
  bytes[7] = std::byte(2);
  EXPECT_EQ(state::from_bytes(bytes).why().code(), status_code::malformed);
}

}  // namespace
}  // namespace onefold::test
