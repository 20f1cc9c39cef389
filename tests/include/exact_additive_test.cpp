// SPDX-License-Identifier: Apache-2.0
// The additive form of the accumulators of exact.hpp: loops of a caller, without the library.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "onefold/collective.hpp"
#include "onefold/exact.hpp"
#include "support/elements.hpp"
#include "support/words.hpp"

namespace onefold::test {
namespace {

constexpr double added_by_words(double a, double b, double c) {
  exact_sum<double> left, right, all;
  left.add(a), left.add(b), right.add(c);
  std::int64_t words[additive_words<exact_sum<double>>]{}, more[std::size(words)]{};
  write_additive(left, words), write_additive(right, more);
  for (std::size_t i = 0; i < std::size(words); ++i) words[i] += more[i];
  return read_additive(words, all) ? all.value() : 0;
}
static_assert(added_by_words(1e300, 1, -1e300) == 1);
static_assert(additive_words<exact_sum<float>> == 20 && additive_words<exact_sum<double>> == 76);

// A state of the library and an accumulator of a kernel add to one answer.
template <class Exact, class Add>
void expect_words_of_states(op op, dtype input, const Add& add) {
  random_source random = source_of(3700, std::uint64_t(op) * 16 + std::uint64_t(input));
  Exact one, other, both;
  for (int i = 0; i < 5; ++i) add(random, one, both), add(random, other, both);
  std::int64_t words[additive_words<Exact>], more[additive_words<Exact>];
  write_additive(one, words), write_additive(other, more);
  for (std::size_t i = 0; i < std::size(words); ++i) words[i] += more[i];
  const auto state = from_additive(words);
  ASSERT_TRUE(state.ok()) << state.why().message();
  EXPECT_EQ(state->op(), op);
  EXPECT_EQ(state->input(), input);
  Exact read;
  ASSERT_TRUE(read_additive(words, read));
  EXPECT_EQ(read, both);
  EXPECT_EQ(words_of(std::get<Exact>(detail::state_access::known(*state))), words_of(both));

  negate_additive<Exact>(more);
  for (std::size_t i = 0; i < std::size(words); ++i) words[i] += more[i];
  ASSERT_TRUE(read_additive(words, read));
  EXPECT_EQ(read, one);

  words[0] += 1;
  EXPECT_FALSE(read_additive(words, read));
  EXPECT_EQ(read, one) << "is left as it was";
}

template <class T, class Number>
void try_type(const Number& number) {
  using key = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
  expect_words_of_states<exact_sum<T>>(op::sum, dtype_of<key>, [&](auto& random, auto&... to) {
    const T x = number(random);
    (to.add(x), ...);
  });
  expect_words_of_states<exact_dot<T>>(op::dot, dtype_of<key>, [&](auto& random, auto&... to) {
    const T x = number(random), y = number(random);
    (to.add(x, y), ...);
  });
  expect_words_of_states<exact_moments<T>>(op::var, dtype_of<key>, [&](auto& random, auto&... to) {
    const T x = number(random);
    (to.add(x), ...);
  });
}

TEST(exact_additive_words, are_those_of_states) {
  const auto any_float = []<class T>(T, int least, int most) {
    return [=](random_source& random) {
      return any_of_exponent<T>(random, random.between(least, most));
    };
  };
  try_type<double>(any_float(double(), -1074, 1023));
  try_type<float>(any_float(float(), -149, 127));
  try_type<bf16>(any_float(bf16(), -133, 127));
  try_type<f16>(any_float(f16(), -24, 15));
  try_type<int>([](random_source& random) { return int(random()); });
  try_type<std::int64_t>([](random_source& random) {
    return random.one_in(2) ? std::numeric_limits<std::int64_t>::min() : std::int64_t(random());
  });
}

TEST(exact_additive_words, distinguish_accumulators) {
  std::int64_t words[additive_words<exact_dot<float>>];
  write_additive(exact_dot<float>(), words);
  exact_dot<bf16> other;
  EXPECT_FALSE(read_additive(words, other)) << "as many words, of another type";
}

}  // namespace
}  // namespace onefold::test
