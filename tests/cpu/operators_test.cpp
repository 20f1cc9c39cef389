// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bitwise folds: every type, every SIMD target, pieces in any order, against
// plain comparisons.
#include "cpu/tasks/tasks.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/each_target.hpp"
#include "support/plain_order.hpp"

namespace onefold::test {
namespace {

using cpu::piece;
using detail::bit_fold;
using detail::extrema;
using detail::nonzero_counts;

// Around vectors of every target, around blocks of every size, and a few blocks.
constexpr std::int64_t sizes[] = {1,    2,    3,    7,    8,     9,     15,    16,    17,
                                  31,   33,   63,   64,   65,    100,   127,   255,   257,
                                  2047, 2049, 4096, 8193, 16384, 16385, 33000, 65536, 70001};

template <class F>
void for_each_array(std::uint64_t stream, F&& f) {
  std::uint64_t index = 0;
  for (const dtype type : all_dtypes)
    for (const std::int64_t n : sizes)
      for (const hard_order how : hard_orders) {
        random_source random = source_of(stream, index++);
        const auto x = make_plain_array(random, type, how, n);
        f(random, x, what_failed(x, how, index - 1));
      }
}

// Two tasks share the pieces of a random cut in a random order; their states are merged.
template <class State, class Make>
State by_tasks(random_source& random, const plain_array& x, Make&& make) {
  std::vector<piece> pieces;
  for (std::int64_t i = 0; i < x.n;) {
    const auto longest = random.one_in(3) ? 40 : 65536;
    const auto n = std::min<std::int64_t>(x.n - i, 1 + std::int64_t(random.below(longest)));
    pieces.push_back({x.at(i), nullptr, n, i});
    i += n;
  }
  shuffle(random, pieces.data(), pieces.size());
  const std::unique_ptr<cpu::task> tasks[] = {make(), make()};
  any_state states[] = {State{}, State{}};
  for (const piece& next : pieces) {
    const auto which = random.below(2);
    tasks[which]->take(next);
    if (random.one_in(10)) tasks[which]->drain(states[which]);
  }
  for (int k = 0; k < 2; ++k) tasks[k]->drain(states[k]);
  auto whole = std::get<State>(states[0]);
  whole.merge(std::get<State>(states[1]));
  return whole;
}

template <class State>
std::vector<std::int64_t> words_of(const State& state) {
  std::vector<std::int64_t> words;
  state.for_each_word([&](std::int64_t word) { words.push_back(word); });
  return words;
}

// The same value, the same sign of zero.
template <class T>
bool same(T got, long double expected) {
  T copy = got;
  const auto value = plain_value<T>(reinterpret_cast<const std::byte*>(&copy));
  return value == expected && std::signbit(value) == std::signbit(expected);
}
template <class T>
bool canonical_nan(T got) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return as_bits(got) == ieee<T>::nan;
}

template <class T>
void expect_answers(const extrema& got, const plain_answers& expected, const std::string& context) {
  ASSERT_EQ(got.count(), expected.count) << context;
  ASSERT_EQ(got.nan_count(), expected.nans) << context;
  EXPECT_FALSE(got.empty(false)) << context;
  EXPECT_EQ(got.empty(true), expected.count == expected.nans) << context;
  if (expected.nans > 0) {
    EXPECT_TRUE(canonical_nan(got.min<T>(false)) && canonical_nan(got.max<T>(false))) << context;
    if constexpr (!std::is_integral_v<T>) {
      EXPECT_TRUE(canonical_nan(got.norminf<T>(false))) << context;
    }
    EXPECT_EQ(got.argmin(false), expected.first_nan) << context;
    EXPECT_EQ(got.argmax(false), expected.first_nan) << context;
  }
  if (expected.count == expected.nans) return;
  EXPECT_TRUE(same(got.min<T>(true), expected.min)) << context << ": min " << expected.min;
  EXPECT_TRUE(same(got.max<T>(true), expected.max)) << context << ": max " << expected.max;
  EXPECT_TRUE(same(got.norminf<T>(true), expected.norminf)) << context << ": " << expected.norminf;
  EXPECT_EQ(got.argmin(true), expected.argmin) << context;
  EXPECT_EQ(got.argmax(true), expected.argmax) << context;
}

TEST(extrema, are_those_of_plain_comparisons_on_every_target) {
  for_each_array(801, [](random_source& random, const plain_array& x, const std::string& context) {
    const plain_answers expected(x, 0, x.n);
    std::vector<std::int64_t> first_words;
    on_each_target([&](const std::string& target) {
      const auto got = by_tasks<extrema>(random, x, [&] { return cpu::make_extrema_task(x.type); });
      with_type(x.type, [&]<class T>(detail::tag<T>) {
        expect_answers<T>(got, expected, context + ", " + target);
      });
      if (first_words.empty()) first_words = words_of(got);
      EXPECT_EQ(words_of(got), first_words) << context << ", " << target;
    });
  });
}

TEST(nonzero_counts, count_zeros_and_nans_on_every_target) {
  for_each_array(802, [](random_source& random, const plain_array& x, const std::string& context) {
    const plain_answers expected(x, 0, x.n);
    on_each_target([&](const std::string& target) {
      const auto got =
          by_tasks<nonzero_counts>(random, x, [&] { return cpu::make_counts_task(x.type); });
      EXPECT_EQ(got.count(), expected.count) << context << ", " << target;
      EXPECT_EQ(got.count(true), expected.count - expected.nans) << context << ", " << target;
      EXPECT_EQ(got.count_nonzero(), expected.nonzeros) << context << ", " << target;
      EXPECT_EQ(got.count_nonzero(true), expected.nonzeros - expected.nans) << context;
      EXPECT_EQ(got.any(), expected.nonzeros > 0) << context << ", " << target;
      EXPECT_EQ(got.any(true), expected.nonzeros > expected.nans) << context << ", " << target;
      EXPECT_EQ(got.all(), expected.nonzeros == expected.count) << context << ", " << target;
    });
  });
}

template <class T>
void expect_folds(const bit_fold& got, const plain_array& x, const std::string& context) {
  T all = T(-1), any = 0, odd = 0;
  for (std::int64_t i = 0; i < x.n; ++i) {
    T element;
    if constexpr (std::is_same_v<T, bool>)
      element = *x.at(i) != std::byte(0);
    else
      std::memcpy(&element, x.at(i), sizeof element);
    all = T(all & element), any = T(any | element), odd = T(odd ^ element);
  }
  EXPECT_EQ(got.count(), x.n) << context;
  EXPECT_EQ(got.bit_and<T>(), all) << context;
  EXPECT_EQ(got.bit_or<T>(), any) << context;
  EXPECT_EQ(got.bit_xor<T>(), odd) << context;
}

TEST(bit_fold, is_that_of_the_elements_on_every_target) {
  for_each_array(803, [](random_source& random, const plain_array& x, const std::string& context) {
    if (is_floating(x.type)) {
      EXPECT_EQ(cpu::make_bits_task(x.type), nullptr);
      return;
    }
    std::vector<std::int64_t> first_words;
    on_each_target([&](const std::string& target) {
      const auto got = by_tasks<bit_fold>(random, x, [&] { return cpu::make_bits_task(x.type); });
      with_type(x.type, [&]<class T>(detail::tag<T>) {
        if constexpr (std::is_integral_v<T>) expect_folds<T>(got, x, context + ", " + target);
      });
      if (first_words.empty()) first_words = words_of(got);
      EXPECT_EQ(words_of(got), first_words) << context << ", " << target;
    });
  });
}

TEST(tasks, are_as_new_after_a_drain_and_take_no_elements) {
  for (const dtype type : all_dtypes) {
    any_state ends = extrema{}, counts = nonzero_counts{}, folds = bit_fold{};
    const double one = 1;
    const piece nothing{&one, nullptr, 0, 5}, something{&one, nullptr, 1, 5};
    const auto ends_task = cpu::make_extrema_task(type), count_task = cpu::make_counts_task(type);
    ends_task->take(nothing), count_task->take(nothing);
    ends_task->drain(ends), count_task->drain(counts);
    EXPECT_EQ(std::get<extrema>(ends), extrema{});
    EXPECT_TRUE(std::get<extrema>(ends).empty(false));
    EXPECT_EQ(std::get<nonzero_counts>(counts), nonzero_counts{});
    ends_task->take(something), count_task->take(something);
    ends_task->drain(ends), ends_task->drain(ends);
    count_task->drain(counts), count_task->drain(counts);
    EXPECT_EQ(std::get<extrema>(ends).count(), 1);
    EXPECT_EQ(std::get<extrema>(ends).argmin(true), 5);
    EXPECT_EQ(std::get<nonzero_counts>(counts).count(), 1);
    if (is_floating(type)) continue;
    const auto fold_task = cpu::make_bits_task(type);
    fold_task->take(nothing), fold_task->drain(folds);
    EXPECT_EQ(std::get<bit_fold>(folds), bit_fold{});
  }
}

TEST(counts_task, ends_as_soon_as_the_answer_is_known) {
  const std::vector<float> x = {0, -0.0f, 1}, nan = {std::nanf("")};
  const auto task = cpu::make_counts_task(dtype::f32);
  EXPECT_FALSE(task->settled(op::any) || task->settled(op::all));
  task->take({nan.data(), nullptr, 1, 0});
  EXPECT_FALSE(task->settled(op::any)) << "a NaN may be left out";
  task->take({x.data(), nullptr, 2, 1});
  EXPECT_TRUE(task->settled(op::all));
  EXPECT_FALSE(task->settled(op::any) || task->settled(op::count));
  task->take({x.data(), nullptr, 3, 3});
  EXPECT_TRUE(task->settled(op::any));
  EXPECT_FALSE(task->settled(op::count_nonzero));
}

}  // namespace
}  // namespace onefold::test
