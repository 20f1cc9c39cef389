// SPDX-License-Identifier: Apache-2.0
// The states of extrema, counts and bitwise folds alone: elements one by one, any order, any split,
// words out and in, words of strangers.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "onefold/detail/bit_fold.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/nonzero_counts.hpp"
#include "support/plain_order.hpp"

namespace onefold::test {
namespace {

using detail::bit_fold;
using detail::extrema;
using detail::nonzero_counts;

template <class T>
T element_at(const plain_array& x, std::int64_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    return *x.at(i) != std::byte(0);
  } else {
    T element;
    std::memcpy(&element, x.at(i), sizeof element);
    return element;
  }
}

template <class State>
void add_to(State& state, const plain_array& x, std::int64_t i) {
  with_type(x.type, [&]<class T>(detail::tag<T>) {
    if constexpr (std::is_same_v<State, extrema>)
      state.add(element_at<T>(x, i), i);
    else if constexpr (std::is_same_v<State, nonzero_counts> || std::is_integral_v<T>)
      state.add(element_at<T>(x, i));
  });
}

template <class State>
using words_array = std::int64_t[State::words];

template <class State>
void write_words(const State& state, words_array<State>& to) {
  int n = 0;
  state.for_each_word([&](std::int64_t word) { to[n++] = word; });
  EXPECT_EQ(n, State::words);
}

template <class State>
State read_words(const words_array<State>& words) {
  const std::int64_t* next = words;
  return State::from_words([&] { return *next++; });
}

template <class State>
class order_free_state : public ::testing::Test {};
using order_free_states = ::testing::Types<extrema, nonzero_counts, bit_fold>;
TYPED_TEST_SUITE(order_free_state, order_free_states);

template <class State, class F>
void for_each_array(F&& f) {
  std::uint64_t index = 0;
  for (const dtype type : all_dtypes)
    for (const hard_order how : hard_orders)
      for (const std::int64_t n : {1, 2, 3, 5, 40, 301}) {
        random_source random = source_of(811, index++);
        if (std::is_same_v<State, bit_fold> && is_floating(type)) continue;
        f(random, make_plain_array(random, type, how, n), how, index - 1);
      }
}

TYPED_TEST(order_free_state, is_the_same_however_it_is_split_and_merged) {
  for_each_array<TypeParam>(
      [](random_source& random, const plain_array& x, hard_order how, std::uint64_t index) {
        TypeParam whole;
        for (std::int64_t i = 0; i < x.n; ++i) add_to(whole, x, i);
        std::vector<std::int64_t> order(std::size_t(x.n));
        std::iota(order.begin(), order.end(), 0);
        shuffle(random, order.data(), order.size());
        std::vector<TypeParam> parts(1 + random.below(9));
        for (const std::int64_t i : order) add_to(parts[random.below(parts.size())], x, i);
        while (parts.size() > 1) {
          const auto a = random.below(parts.size() - 1);
          parts[a].merge(parts.back());
          parts.pop_back();
        }
        EXPECT_EQ(parts[0], whole) << what_failed(x, how, index);
      });
}

TYPED_TEST(order_free_state, is_read_back_from_its_words_which_are_plausible) {
  for_each_array<TypeParam>(
      [](random_source&, const plain_array& x, hard_order how, std::uint64_t index) {
        TypeParam whole;
        for (std::int64_t i = 0; i < x.n; ++i) {
          words_array<TypeParam> words;
          write_words(whole, words);
          EXPECT_TRUE(TypeParam::plausible(words, x.type)) << what_failed(x, how, index) << i;
          EXPECT_EQ(read_words<TypeParam>(words), whole);
          add_to(whole, x, i);
        }
      });
}

// Without a sound state's words: one word at a time is another number. What passes for a state must
// then be one: writing and reading it gives the same words.
TYPED_TEST(order_free_state, refuses_words_that_no_elements_leave) {
  for_each_array<TypeParam>([](random_source& random, const plain_array& x, hard_order how,
                               std::uint64_t index) {
    TypeParam whole;
    for (std::int64_t i = 0; i < x.n; ++i) add_to(whole, x, i);
    for (int k = 0; k < TypeParam::words; ++k) {
      words_array<TypeParam> words, again;
      write_words(whole, words);
      words[k] = random.one_in(2)
                     ? std::int64_t(random())
                     : std::int64_t(std::uint64_t(words[k]) + std::uint64_t(random.between(-2, 2)));
      if (!TypeParam::plausible(words, x.type)) continue;
      write_words(read_words<TypeParam>(words), again);
      for (int j = 0; j < TypeParam::words; ++j)
        EXPECT_EQ(words[j], again[j]) << what_failed(x, how, index);
    }
  });
}

TEST(extrema, refuse_each_implausible_word) {
  // count, nans, first nan, least key and index, largest key and index, signs of zeros
  constexpr std::int64_t sound[] = {5, 1, 4, -3, 1, 7, 2, 0};
  constexpr std::int64_t zeros[] = {2, 0, -1, 0, 0, 0, 0, 2};
  ASSERT_TRUE(extrema::plausible(sound, dtype::f32));
  ASSERT_TRUE(extrema::plausible(zeros, dtype::f32));
  const auto refuses = [](const std::int64_t(&base)[8], int k, std::int64_t word, dtype type) {
    std::int64_t words[8];
    std::copy(base, base + 8, words);
    words[k] = word;
    return !extrema::plausible(words, type);
  };
  EXPECT_TRUE(refuses(sound, 0, -1, dtype::f32)) << "a negative count";
  EXPECT_TRUE(refuses(sound, 1, 6, dtype::f32)) << "more NaNs than elements";
  EXPECT_TRUE(refuses(sound, 1, 1, dtype::i32)) << "NaNs among integers";
  EXPECT_TRUE(refuses(sound, 1, 0, dtype::f32)) << "a first NaN without a NaN";
  EXPECT_TRUE(refuses(sound, 2, -1, dtype::f32)) << "no first NaN";
  EXPECT_TRUE(refuses(sound, 1, 5, dtype::f32)) << "extrema of nothing";
  EXPECT_TRUE(refuses(sound, 3, 8, dtype::f32)) << "least above largest";
  EXPECT_TRUE(refuses(sound, 5, 0x7F800001, dtype::f32)) << "a NaN for the largest";
  EXPECT_FALSE(refuses(sound, 5, 0x7F800000, dtype::f32)) << "an infinity is an element";
  EXPECT_TRUE(refuses(sound, 4, -1, dtype::f32)) << "no position";
  EXPECT_TRUE(refuses(sound, 7, 1, dtype::f32)) << "a sign of zero for -3";
  EXPECT_TRUE(refuses(sound, 7, 4, dtype::f32)) << "bits that mean nothing";
  EXPECT_TRUE(refuses(zeros, 4, 1, dtype::f32)) << "equal extrema at two positions";
  EXPECT_TRUE(refuses(zeros, 7, 1, dtype::f32)) << "least +0, largest -0";
  EXPECT_TRUE(refuses(zeros, 0, 1, dtype::f32)) << "one element that is -0 and +0";
  EXPECT_TRUE(refuses(zeros, 7, 2, dtype::i8)) << "a sign of zero among integers";
}

TEST(extrema, have_no_identity_by_accident) {
  for (const dtype type : all_dtypes)
    with_type(type, [&]<class T>(detail::tag<T>) {
      const detail::key_limits limits = detail::limits_of_keys(type);
      for (const std::int64_t key : {limits.least, limits.largest}) {
        const T x = detail::extreme{key, 0, false}.value<T>();
        EXPECT_EQ(detail::key_of(x), key) << name(type);
        extrema seen;
        EXPECT_TRUE(seen.empty(true) && seen.empty(false));
        seen.add(x, 17);
        EXPECT_EQ(detail::key_of(seen.min<T>(true)), key) << name(type);
        EXPECT_EQ(detail::key_of(seen.max<T>(true)), key) << name(type);
        EXPECT_EQ(seen.argmin(true), 17);
        EXPECT_EQ(seen.argmax(true), 17);
      }
    });
}

TEST(extrema, hold_the_magnitude_of_the_least_integer) {
  extrema seen;
  seen.add(std::int64_t(-0x7FFFFFFFFFFFFFFF) - 1, 0);
  EXPECT_EQ(seen.norminf<std::int64_t>(false), std::uint64_t(1) << 63);
  seen.add(std::int64_t(0x7FFFFFFFFFFFFFFF), 1);
  EXPECT_EQ(seen.norminf<std::int64_t>(false), std::uint64_t(1) << 63);
}

TEST(extrema, take_zeros_of_both_signs_for_equal_in_position_and_not_in_value) {
  extrema seen;
  seen.add(0.0, 3), seen.add(-0.0, 5);
  EXPECT_EQ(seen.argmin(false), 3);
  EXPECT_EQ(seen.argmax(false), 3);
  EXPECT_EQ(as_bits(seen.min<double>(false)), as_bits(-0.0));
  EXPECT_EQ(as_bits(seen.max<double>(false)), as_bits(0.0));
  seen.add(-0.0, 2);
  EXPECT_EQ(seen.argmin(false), 2);
  EXPECT_EQ(seen.argmax(false), 2);
}

TEST(bit_fold, of_nothing_is_its_identities) {
  const bit_fold nothing;
  EXPECT_EQ(nothing.bit_and<std::int8_t>(), -1);
  EXPECT_EQ(nothing.bit_and<std::uint16_t>(), 0xFFFF);
  EXPECT_TRUE(nothing.bit_and<bool>());
  EXPECT_FALSE(nothing.bit_or<bool>());
  EXPECT_EQ(nothing.bit_or<std::int32_t>(), 0);
  EXPECT_EQ(nothing.bit_xor<std::uint64_t>(), 0u);
}

TEST(bit_fold, refuses_folds_that_contradict_each_other) {
  // count, and, or, xor
  const auto plausible = [](std::int64_t count, std::int64_t all, std::int64_t any,
                            std::int64_t odd, dtype type) {
    const std::int64_t words[] = {count, all, any, odd};
    return bit_fold::plausible(words, type);
  };
  EXPECT_TRUE(plausible(3, 1, 7, 5, dtype::u8));
  EXPECT_FALSE(plausible(3, 8, 7, 5, dtype::u8)) << "a bit that all have and none has";
  EXPECT_FALSE(plausible(3, 1, 7, 13, dtype::u8)) << "a bit that an odd number of none has";
  EXPECT_FALSE(plausible(3, 1, 7, 4, dtype::u8)) << "a bit of all three is in an odd number";
  EXPECT_FALSE(plausible(3, 1, 0x107, 5, dtype::u8)) << "more bits than the type has";
  EXPECT_FALSE(plausible(1, 1, 7, 7, dtype::u8)) << "one element, two values";
  EXPECT_FALSE(plausible(2, 0, 7, 3, dtype::u8)) << "a bit of one of two is in an odd number";
  EXPECT_FALSE(plausible(0, 0, 0, 0, dtype::u8)) << "the and of nothing has all bits";
  EXPECT_FALSE(plausible(0, -1, 0, 0, dtype::f32)) << "floats have no folds";
}

TEST(nonzero_counts, refuse_counts_that_contradict_each_other) {
  const auto plausible = [](std::int64_t count, std::int64_t nonzeros, std::int64_t nans,
                            dtype type) {
    const std::int64_t words[] = {count, nonzeros, nans};
    return nonzero_counts::plausible(words, type);
  };
  EXPECT_TRUE(plausible(5, 4, 3, dtype::f64));
  EXPECT_FALSE(plausible(5, 4, 3, dtype::i64));
  EXPECT_FALSE(plausible(5, 2, 3, dtype::f64));
  EXPECT_FALSE(plausible(3, 4, 0, dtype::f64));
  EXPECT_FALSE(plausible(5, 4, -1, dtype::f64));
}

}  // namespace
}  // namespace onefold::test
