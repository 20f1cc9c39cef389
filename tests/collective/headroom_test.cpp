// SPDX-License-Identifier: Apache-2.0
// How many groups of words add without an overflow: the largest limbs, 2^20 and 2^31 - 1 of them.
#include <gtest/gtest.h>

#include <limits>

#include "collective/parts.hpp"
#include "onefold/detail/float_format.hpp"

namespace onefold::test {
namespace {

__extension__ typedef __int128 int128;

constexpr std::int64_t all_ones = 0xFFFFFFFF;

// A state by its words, as a machine with enough elements could have sent it.
state of_words(op op, dtype input, const std::vector<std::int64_t>& words) {
  auto bytes = state(op, input).bytes();
  for (std::size_t i = 0; i < words.size(); ++i)
    for (int b = 0; b < 8; ++b)
      bytes[16 + 8 * i + std::size_t(b)] = std::byte(std::uint64_t(words[i]) >> (8 * b));
  return state::from_bytes(bytes).value();
}

// Sums of 2^log_elements floats whose limbs are all ones: nearly the largest sum, or -1 unit.
template <class T>
state largest(int log_elements, bool below_zero) {
  using format = detail::float_format<T>;
  std::vector<std::int64_t> words(detail::wide_sum<T>::words);
  int bits = format::max_exponent + 1 - format::lsb + log_elements;
  for (int i = 0; i < format::limbs; ++i, bits -= 32)
    words[std::size_t(i)] = below_zero || bits >= 32 ? all_ones
                            : bits > 0               ? all_ones >> (32 - bits)
                                                     : 0;
  if (below_zero) words[std::size_t(format::limbs - 1)] = -1;
  words[std::size_t(format::limbs)] = std::int64_t(1) << log_elements;
  return of_words(op::sum, dtype_of<T>, words);
}

// k states of the same elements, merged.
state times(const state& one, std::uint64_t k) {
  state all(one.op(), one.input()), power = one;
  for (; k > 0; k >>= 1) {
    if (k & 1) all.merge(power);
    if (k > 1) power.merge(state(power));
  }
  return all;
}

template <class T>
void try_million() {
  constexpr std::int64_t groups = 1 << 20;
  for (const int signs : {1, 2, 3}) {
    const state states[] = {largest<T>(41, false), largest<T>(41, true)};
    word_group all = to_additive(state(op::sum, dtype_of<T>));
    for (int sign = 0; sign < 2; ++sign) {
      if ((signs >> sign & 1) == 0) continue;
      const word_group one = to_additive(states[sign]);
      for (std::int64_t i = 0; i < groups; ++i) combine(all, one, add_words);
    }
    state expected(op::sum, dtype_of<T>);
    for (int sign = 0; sign < 2; ++sign)
      if (signs >> sign & 1) expected.merge(times(states[sign], groups));
    EXPECT_EQ(from_additive(all).value(), expected) << name(dtype_of<T>) << ", signs " << signs;
  }
}

TEST(headroom, holds_two_to_the_twenty_of_the_largest_states) {
  try_million<f16>(), try_million<float>(), try_million<double>();
}

// Random trees of 2^31 - 1 groups: a leaf is as many equal groups as its weight says, whose sum is
// a product. No sum on the way may leave 64 bits.
struct weighted {
  word_group words;
  std::uint64_t groups;
};

word_group product(const word_group& one, std::uint64_t k) {
  word_group all;
  for (const std::int64_t word : one) {
    const int128 exact = int128(word) * k;
    EXPECT_EQ(exact, std::int64_t(exact)) << word << " times " << k;
    all.push_back(std::int64_t(exact));
  }
  return all;
}

template <class T>
void try_tree(std::uint64_t index) {
  SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(index));
  random_source random = source_of(3600 + sizeof(T), index);
  const state kinds[] = {largest<T>(31, false), largest<T>(31, true), state(op::sum, dtype_of<T>)};
  const auto sums = index % 2 == 0 ? 2 : random.below(3) + 1;
  std::vector<weighted> parts;
  state expected(op::sum, dtype_of<T>);
  std::uint64_t left = INT32_MAX;
  while (left > 0) {
    std::uint64_t groups = random.one_in(3) ? left : 1 + random.below(left);
    if (parts.size() > 200) groups = left;
    const state& one = kinds[random.below(sums)];
    parts.push_back({product(to_additive(one), groups), groups});
    expected.merge(times(one, groups));
    left -= groups;
  }
  while (parts.size() > 1) {
    std::swap(parts[random.below(parts.size())], parts.back());
    const weighted last = parts.back();
    parts.pop_back();
    weighted& to = parts[random.below(parts.size())];
    for (std::size_t i = 0; i < last.words.size(); ++i)
      ASSERT_FALSE(__builtin_add_overflow(to.words[i], last.words[i], &to.words[i]));
    to.groups += last.groups;
  }
  ASSERT_EQ(parts.front().groups, std::uint64_t(INT32_MAX));
  ASSERT_EQ(from_additive(parts.front().words).value(), expected);
}

TEST(headroom, holds_every_tree_of_two_to_the_thirty_one_less_one_groups) {
  for (std::uint64_t k = 0; k < 50; ++k) {
    try_tree<f16>(k), try_tree<bf16>(k), try_tree<float>(k), try_tree<double>(k);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace onefold::test
