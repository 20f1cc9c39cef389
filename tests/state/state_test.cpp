// SPDX-License-Identifier: Apache-2.0
// The state as a value: its bytes, what is read back from them, merging, and its answers.
#include "onefold/state.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "onefold/onefold.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

constexpr dtype floats[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

// What docs and other machines count on: the header, then the words of the oracle.
template <class T>
std::vector<std::byte> expected_bytes(const oracle<T>& sum) {
  std::vector<std::byte> bytes;
  for (const char c :
       {'o', 'n', 'e', 'f', 'o', 'l', 'd', '\1', '\0', char(dtype_of<T>), '\0', '\0'})
    bytes.push_back(std::byte(c));
  const auto words = sum.words();
  const auto append = [&](std::uint64_t word, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(std::byte(word >> (8 * i)));
  };
  append(words.size(), 4);
  for (const std::int64_t word : words) append(std::uint64_t(word), 8);
  return bytes;
}

std::string text_of(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += hex(std::to_integer<std::uint8_t>(byte)).substr(2);
  return text;
}

/// A state with digits of both kinds, specials or none, by family number.
template <class T>
std::vector<T> make_array(std::uint64_t index, std::size_t n) {
  random_source random = source_of(1500 + sizeof(T), index);
  const auto& all = families<T>();
  std::vector<T> x(n);
  all[index % all.size()].fill(random, x.data(), n);
  return x;
}

template <class T>
void try_bytes() {
  for (std::uint64_t k = 0; k < 46; ++k) {
    auto x = make_array<T>(k, k % 7 == 0 ? k / 7 : 90'000 + k);
    oracle<T> sum;
    sum.add(x.data(), std::int64_t(x.size()));
    const auto expected = expected_bytes(sum);
    random_source random = source_of(1600, k);
    on_each_target([&](const std::string& target) {
      for (const int threads : thread_counts) {
        const auto got = try_partial(executor::cpu{threads}, op::sum, x).value().bytes();
        EXPECT_EQ(text_of(got), text_of(expected))
            << "ONEFOLD_TEST_SEED=" << seed() << ", array " << k << " of " << ieee<T>::name << ", "
            << target << ", " << threads << " threads";
      }
      shuffle(random, x.data(), x.size());
      state parts(op::sum, dtype_of<T>);
      for (std::size_t first = 0; first < x.size();) {
        const std::size_t n = std::min<std::size_t>(x.size() - first, random.below(30'000));
        state part = partial(op::sum, array_view(x.data() + first, n));
        parts = random.one_in(2) ? merge(part, parts) : merge(parts, part);
        first += n;
      }
      EXPECT_EQ(text_of(parts.bytes()), text_of(expected)) << "in parts, shuffled, " << target;
    });
  }
}

TEST(state, of_binary64_has_the_oracles_bytes_in_any_order_split_target_and_threads) {
  try_bytes<double>();
}
TEST(state, of_binary32_has_the_oracles_bytes_in_any_order_split_target_and_threads) {
  try_bytes<float>();
}
TEST(state, of_bfloat16_has_the_oracles_bytes_in_any_order_split_target_and_threads) {
  try_bytes<bf16>();
}
TEST(state, of_binary16_has_the_oracles_bytes_in_any_order_split_target_and_threads) {
  try_bytes<f16>();
}

/// States of every element type: empty, zeros, plain, with specials.
std::vector<state> some_states() {
  std::vector<state> list;
  const auto add = [&]<class T>(detail::tag<T>) {
    list.emplace_back(op::sum, dtype_of<T>);
    for (std::uint64_t k = 0; k < families<T>().size(); ++k)
      list.push_back(partial(op::sum, make_array<T>(k, 1 + 40 * (k % 5))));
  };
  add(detail::tag<double>{}), add(detail::tag<float>{});
  add(detail::tag<bf16>{}), add(detail::tag<f16>{});
  const std::int64_t wide[] = {std::numeric_limits<std::int64_t>::min(), -1, -77};
  const std::uint8_t narrow[] = {1, 255, 3};
  const bool bits[] = {true, false, true};
  for (const array_view& x : {array_view(wide), array_view(narrow), array_view(bits)})
    list.push_back(partial(op::sum, x));
  return list;
}

TEST(state, read_back_from_its_bytes_is_the_same) {
  for (const state& sum : some_states()) {
    const auto bytes = sum.bytes();
    const auto back = state::from_bytes(bytes);
    ASSERT_TRUE(back.ok()) << back.why().message();
    EXPECT_TRUE(*back == sum);
    EXPECT_EQ(back->bytes(), bytes);
    EXPECT_EQ(back->count(), sum.count());
    EXPECT_EQ(back->input(), sum.input());
  }
}

TEST(state, read_back_with_its_first_index_merges_in_order) {
  const double x[] = {1, 2, 3, 4, 5};
  const state whole = partial(op::prod, x);
  state left = partial(op::prod, std::span(x).first(2));
  const state right = partial(op::prod, std::span(x).last(3), {.first_index = 2});
  EXPECT_FALSE(left.try_merge(state::from_bytes(right.bytes()).value()).ok());
  const state back = state::from_bytes(right.bytes(), 2).value();
  EXPECT_EQ(back.first_index(), 2);
  EXPECT_EQ(left.merge(back).bytes(), whole.bytes());
}

// Refused, or a state of its own that is written as it was read.
void expect_refused_or_kept(const std::vector<std::byte>& bytes, std::size_t at) {
  const auto back = state::from_bytes(bytes);
  if (back.ok()) {
    EXPECT_EQ(text_of(back->bytes()), text_of(bytes)) << "byte " << at;
    double value = 0;
    EXPECT_TRUE(back->write(&value, dtype::f64)) << "byte " << at;
    state twice = *back;
    EXPECT_TRUE(twice.try_merge(*back) ||
                back->count() > std::numeric_limits<std::int64_t>::max() / 2);
  } else {
    EXPECT_EQ(back.why().code(), status_code::malformed) << "byte " << at;
  }
}

TEST(state, with_any_one_byte_changed_is_refused_or_kept_as_it_is) {
  random_source random = source_of(1700, 0);
  std::uint64_t index = 0;
  for (const state& sum : some_states()) {
    auto bytes = sum.bytes();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      const std::byte right = bytes[at];
      for (const auto wrong : {right ^ std::byte(1), right ^ std::byte(0x80), ~right,
                               std::byte(random()), std::byte(0xFF)}) {
        if (wrong == right || !is_taken(index++)) continue;
        bytes[at] = wrong;
        expect_refused_or_kept(bytes, at);
      }
      bytes[at] = right;
    }
  }
}

// Bitwise operators take integers and bool, when a state is made as when elements are reduced.
TEST(state, of_an_operator_that_does_not_take_the_elements_is_refused_at_once) {
  const double x[] = {1};
  for (const op op : all_ops)
    for (const dtype type : all_dtypes) {
      const bool bits = op == op::bit_and || op == op::bit_or || op == op::bit_xor;
      if (!bits || !is_floating(type)) {
        EXPECT_NO_THROW(state(op, type)) << name(op) << " of " << name(type);
        continue;
      }
      try {
        const state made(op, type);
        ADD_FAILURE() << name(op) << " of " << name(type) << " was made";
      } catch (const error& refused) {
        EXPECT_EQ(refused.why().code(), status_code::unsupported);
        EXPECT_EQ(refused.why().message(), std::string(name(op)) + " of " +
                                               std::string(name(type)) +
                                               " has no meaning; it takes integers and bool");
      }
      auto bytes = state(op, dtype::i8).bytes();
      bytes[9] = std::byte(type);
      EXPECT_EQ(state::from_bytes(bytes).why().code(), status_code::malformed);
      windows pieces(executor{}, op, type);
      EXPECT_EQ(pieces.partial().why().code(), status_code::unsupported);
    }
  const auto refused = try_partial(executor{}, op::bit_and, x).why();
  EXPECT_EQ(refused.code(), status_code::unsupported);
}

TEST(state, cut_short_or_continued_is_refused) {
  for (const state& sum : some_states()) {
    auto bytes = sum.bytes();
    for (std::size_t n = 0; n < bytes.size(); ++n)
      EXPECT_EQ(state::from_bytes(std::span(bytes).first(n)).why().code(), status_code::malformed);
    bytes.push_back(std::byte(0));
    EXPECT_EQ(state::from_bytes(bytes).why().code(), status_code::malformed);
  }
}

// The words of a state of binary64, changed one at a time; index counts words.
result<state> with_word(const state& sum, std::size_t index, std::int64_t word) {
  auto bytes = sum.bytes();
  for (std::size_t i = 0; i < 8; ++i)
    bytes[16 + 8 * index + i] = std::byte(std::uint64_t(word) >> (8 * i));
  return state::from_bytes(bytes);
}

TEST(state, with_limbs_or_counts_that_no_additions_leave_is_refused) {
  const double x[] = {1, 2, 3};
  const state sum = partial(op::sum, x);
  constexpr std::size_t limbs = 68, top = limbs - 1, count = limbs, nans = limbs + 1,
                        only_zeros = limbs + 4;
  const auto refused = [&](std::size_t index, std::int64_t word) {
    return with_word(sum, index, word).why().code() == status_code::malformed;
  };
  EXPECT_TRUE(refused(0, -1));
  EXPECT_TRUE(refused(5, std::int64_t(1) << 32));
  EXPECT_TRUE(refused(top, std::int64_t(1) << 31));
  EXPECT_TRUE(refused(top, std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(refused(top, -1)) << "three elements cannot reach so far down";
  EXPECT_TRUE(refused(65, 1 << 20)) << "2^2100 units, more than three of the largest elements";
  EXPECT_FALSE(refused(65, 1 << 19));
  EXPECT_TRUE(refused(count, -1));
  EXPECT_TRUE(refused(nans, 4));
  EXPECT_TRUE(refused(nans, -1));
  EXPECT_TRUE(refused(nans, 3)) << "NaNs alone leave no digits";
  EXPECT_FALSE(refused(nans, 2));
  EXPECT_TRUE(refused(only_zeros, 1));
  EXPECT_TRUE(refused(only_zeros, 2));
}

TEST(state, of_integers_that_so_few_elements_cannot_reach_is_refused) {
  const std::int64_t x[] = {1, 2, 3};
  const state sum = partial(op::sum, x);
  const auto refused = [&](std::size_t index, std::int64_t word) {
    return with_word(sum, index, word).why().code() == status_code::malformed;
  };
  EXPECT_TRUE(refused(1, 4));
  EXPECT_TRUE(refused(1, -4));
  EXPECT_FALSE(refused(1, 2));
  EXPECT_FALSE(refused(1, -3));
  EXPECT_TRUE(refused(2, -1));
}

TEST(state, of_another_type_does_not_merge) {
  for (const dtype a : all_dtypes)
    for (const dtype b : all_dtypes) {
      state into(op::sum, a);
      EXPECT_EQ(into.try_merge(state(op::sum, b)).code(),
                a == b ? status_code::ok : status_code::mismatch)
          << name(a) << " and " << name(b);
      if (a != b) {
        EXPECT_THROW(into.merge(state(op::sum, b)), error);
      }
    }
}

TEST(state, of_two_to_the_63_elements_is_not_made) {
  const double ones[] = {1, 1};
  const std::int64_t integers[] = {1, 1};
  const state of_floats = partial(op::sum, ones), of_integers = partial(op::sum, integers);
  for (const auto& [sum, count_at] : {std::pair(of_floats, 68), std::pair(of_integers, 2)}) {
    state longest =
        with_word(sum, std::size_t(count_at), std::numeric_limits<std::int64_t>::max() - 2).value();
    EXPECT_TRUE(longest.try_merge(sum));
    const auto before = longest.bytes();
    EXPECT_EQ(longest.try_merge(sum).code(), status_code::overflow);
    EXPECT_EQ(longest.try_merge(longest).code(), status_code::overflow);
    EXPECT_EQ(longest.bytes(), before) << "a refused merge has changed the state";
  }
}

TEST(state, merged_with_itself_is_twice_as_much) {
  const float x[] = {1.5f, -3.25f, 8};
  state sum = partial(op::sum, x);
  sum.merge(sum);
  EXPECT_EQ(sum.count(), 6);
  EXPECT_EQ(sum.value<float>(), 12.5f);
}

template <class T, class Out>
void expect_value(const state& sum, const oracle<T>& expected, std::uint64_t k) {
  EXPECT_EQ(hex(as_bits(sum.value<Out>())), hex(expected.template value<Out>()))
      << "ONEFOLD_TEST_SEED=" << seed() << ", array " << k << " of " << ieee<T>::name;
}

template <class T>
void try_outputs() {
  for (std::uint64_t k = 0; k < 92; ++k) {
    const auto x = make_array<T>(k, 1 + 13 * (k % 40));
    oracle<T> expected;
    expected.add(x.data(), std::int64_t(x.size()));
    const state sum = partial(op::sum, x);
    expect_value<T, double>(sum, expected, k), expect_value<T, float>(sum, expected, k);
    expect_value<T, bf16>(sum, expected, k), expect_value<T, f16>(sum, expected, k);
    for (const dtype type : all_dtypes) {
      std::uint64_t place = 0x1234;
      if (is_floating(type)) continue;
      EXPECT_EQ(sum.write(&place, type).code(), status_code::unsupported) << name(type);
      EXPECT_EQ(place, 0x1234u);
    }
  }
}

TEST(state, of_floats_is_rounded_once_into_every_format_and_into_no_integer) {
  try_outputs<double>();
  try_outputs<float>();
  try_outputs<bf16>();
  try_outputs<f16>();
}

TEST(state, of_nothing_is_plus_zero_and_of_minus_zeros_alone_minus_zero) {
  for (const dtype type : floats) {
    state sum(op::sum, type);
    EXPECT_EQ(as_bits(sum.value()), 0u);
    with_type(type, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) {
        const std::vector<T> zeros(1000, as_float<T>(ieee<T>::sign));
        for (const std::size_t n : {1u, 127u, 128u, 1000u}) {
          const state minus = partial(op::sum, array_view(zeros.data(), n));
          EXPECT_EQ(as_bits(minus.value()), ieee<double>::sign);
          EXPECT_EQ(as_bits(merge(sum, minus).value()), ieee<double>::sign);
        }
      }
    });
  }
}

}  // namespace
}  // namespace onefold::test
