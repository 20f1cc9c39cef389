// SPDX-License-Identifier: Apache-2.0
// Sums, products and moments of integers of every width and signedness, against GMP.
#include <gtest/gtest.h>

#include <limits>

#include "onefold/exact.hpp"
#include "support/moments_oracle.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

template <class A, class B>
constexpr std::int64_t product_of(A x, B y) {
  exact_dot<std::int64_t> sum;
  sum.add(x, y);
  return sum.template value<std::int64_t>();
}
static_assert(product_of(-3, 7u) == -21);
static_assert(product_of(std::int8_t(-128), std::int8_t(-128)) == 16384);
static_assert(product_of(true, std::int64_t(-5)) == -5);
static_assert(product_of(0, -1) == 0);

template <class A>
mpz_class integer(A x) {
  mpz_class value = static_cast<unsigned long>(std::uint64_t(x));
  if (x < A(0)) value -= mpz_class(1) << 64;
  return value;
}

// The ends of the range, what is next to them, next to zero, and anything.
template <class A>
A any(random_source& random) {
  constexpr A least = std::numeric_limits<A>::min(), most = std::numeric_limits<A>::max();
  const A edges[] = {least, most, A(0), A(1), A(least + 1), A(most - 1), A(most / 2)};
  return random.one_in(2) ? edges[random.below(7)] : A(random());
}

template <class F>
void for_each_integer_type(F&& f) {
  f(detail::tag<bool>{}), f(detail::tag<std::int8_t>{}), f(detail::tag<std::uint8_t>{});
  f(detail::tag<std::int16_t>{}), f(detail::tag<std::uint16_t>{});
  f(detail::tag<std::int32_t>{}), f(detail::tag<std::uint32_t>{});
  f(detail::tag<std::int64_t>{}), f(detail::tag<std::uint64_t>{});
}

/// Words of 64 bits in two's complement, the last with the sign, then the count.
std::vector<std::int64_t> words_of(const mpz_class& total, std::size_t words, std::int64_t count) {
  std::vector<std::int64_t> list;
  mpz_class left = total, low;
  for (std::size_t i = 0; i < words; ++i) {
    mpz_fdiv_r_2exp(low.get_mpz_t(), left.get_mpz_t(), 64);
    mpz_fdiv_q_2exp(left.get_mpz_t(), left.get_mpz_t(), 64);
    list.push_back(std::int64_t(low.get_ui()));
  }
  list.push_back(count);
  return list;
}

exact_answer answer_of(const mpz_class& total) {
  return {exact_answer::kind::number, total < 0, {abs(total)}};
}
exact_answer root_of(const mpz_class& total) {
  exact_answer answer = answer_of(total);
  if (total < 0) answer.value_kind = exact_answer::kind::nan;
  answer.power = 2;
  return answer;
}

void expect_values(const exact_dot<int>& sum, const mpz_class& total) {
  for_each_format([&]<class Out>(detail::tag<Out>) {
    EXPECT_TRUE(matches<Out>(as_bits(sum.value<Out>()), answer_of(total))) << total;
    EXPECT_TRUE(matches<Out>(as_bits(sum.root<Out>()), root_of(total))) << total;
  });
  for_each_integer_type([&]<class Out>(detail::tag<Out>) {
    const mpz_class least = integer(std::numeric_limits<Out>::min()),
                    most = integer(std::numeric_limits<Out>::max());
    EXPECT_EQ(sum.fits<Out>(), least <= total && total <= most) << total;
    if (sum.fits<Out>()) {
      EXPECT_EQ(integer(sum.value<Out>()), total);
    }
  });
}

template <class A, class B>
void try_products(random_source& random) {
  std::vector<exact_dot<int>> parts;
  exact_dot<int> whole;
  mpz_class total = 0;
  std::int64_t n = 0;
  for (auto pieces = random.below(4); pieces > 0; --pieces) {
    parts.emplace_back();
    for (auto i = random.below(5); i > 0; --i, ++n) {
      const A x = any<A>(random);
      const B y = any<B>(random);
      parts.back().add(x, y), whole.add(x, y);
      total += integer(x) * integer(y);
    }
  }
  EXPECT_EQ(test::words_of(whole), words_of(total, 3, n));
  EXPECT_TRUE(merged_in_a_random_tree(random, parts) == whole);
  auto words = test::words_of(whole);
  const std::int64_t* word = words.data();
  EXPECT_TRUE(exact_dot<int>::from_words([&] { return *word++; }) == whole);
  expect_values(whole, total);
}

TEST(exact_integers, of_any_two_types_have_their_sum_of_products) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(200, 3)); ++k) {
    random_source random = source_of(2500, k);
    for_each_integer_type([&]<class A>(detail::tag<A>) {
      for_each_integer_type([&]<class B>(detail::tag<B>) { try_products<A, B>(random); });
    });
    ASSERT_FALSE(HasFailure()) << "ONEFOLD_TEST_SEED=" << seed() << ", case " << k;
  }
}

// Partial sums of 128 bits of either sign, and results at the ends of every output type.
TEST(exact_integers, take_deposits_of_128_bits) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(20'000, 100)); ++k) {
    random_source random = source_of(2501, k);
    exact_dot<int> sum;
    mpz_class total = 0;
    for (auto i = random.between(1, 3); i > 0; --i) {
      const auto low = any<std::uint64_t>(random);
      const auto high =
          random.one_in(2) ? -std::int64_t(random.below(2)) : any<std::int64_t>(random);
      sum.deposit(low, high);
      total += (integer(high) << 64) + integer(low);
    }
    sum.note_elements(3);
    EXPECT_EQ(test::words_of(sum), words_of(total, 3, 3));
    expect_values(sum, total);
    ASSERT_FALSE(HasFailure()) << "ONEFOLD_TEST_SEED=" << seed() << ", case " << k;
  }
}

TEST(exact_integers, fit_a_type_up_to_its_last_number) {
  for_each_integer_type([&]<class A>(detail::tag<A>) {
    for (const auto& end :
         {integer(std::numeric_limits<A>::min()), integer(std::numeric_limits<A>::max())})
      for (int away = -1; away <= 1; ++away) {
        const mpz_class total = end + away;
        const auto words = words_of(total, 2, 0);
        exact_dot<int> sum;
        sum.deposit(std::uint64_t(words[0]), words[1]);
        expect_values(sum, total);
      }
  });
}

template <class A>
void try_moments(random_source& random) {
  exact_moments<A> whole;
  std::vector<exact_moments<A>> parts;
  exact_sums sums;
  const bool equal = random.one_in(6);
  const A first = any<A>(random);
  for (auto pieces = random.below(4); pieces > 0; --pieces) {
    parts.emplace_back();
    for (auto i = random.below(5); i > 0; --i) {
      const A x = equal ? first : any<A>(random);
      parts.back().add(x), whole.add(x);
      sums.add(integer(x));
    }
  }
  auto words = words_of(sums.a, 2, sums.n);
  for (const auto word : words_of(sums.b, 3, sums.n)) words.push_back(word);
  EXPECT_EQ(test::words_of(whole), words);
  EXPECT_TRUE(merged_in_a_random_tree(random, parts) == whole);
  EXPECT_TRUE(whole.consistent());
  for_each_format([&]<class Out>(detail::tag<Out>) {
    EXPECT_TRUE(matches<Out>(as_bits(whole.template mean<Out>()), sums.mean()));
    EXPECT_TRUE(matches<Out>(as_bits(whole.sum().template mean<Out>()), sums.mean()));
    for (const std::int64_t c : {0, 1, 2, 3, -1}) {
      EXPECT_TRUE(matches<Out>(as_bits(whole.template variance<Out>(c)), sums.variance(c)));
      EXPECT_TRUE(matches<Out>(as_bits(whole.template deviation<Out>(c)), sums.deviation(c)));
    }
  });
}

TEST(exact_integers, of_any_type_have_their_moments) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(2'000, 20)); ++k) {
    random_source random = source_of(2502, k);
    for_each_integer_type([&]<class A>(detail::tag<A>) { try_moments<A>(random); });
    ASSERT_FALSE(HasFailure()) << "ONEFOLD_TEST_SEED=" << seed() << ", case " << k;
  }
}

// 2^62 products of the largest magnitude: 190 bits and a sign.
TEST(exact_integers, hold_as_many_of_the_largest_products_as_they_say) {
  exact_dot<int> plus, minus;
  plus.add(UINT64_MAX, UINT64_MAX), minus.add(INT64_MIN, UINT64_MAX);
  mpz_class of_plus = integer(UINT64_MAX) * integer(UINT64_MAX),
            of_minus = integer(INT64_MIN) * integer(UINT64_MAX);
  for (int doubled = 0; doubled < 62; ++doubled) {
    const auto p = plus, m = minus;
    plus.merge(p), minus.merge(m);
    of_plus *= 2, of_minus *= 2;
  }
  EXPECT_EQ(test::words_of(plus), words_of(of_plus, 3, std::int64_t(1) << 62));
  EXPECT_EQ(test::words_of(minus), words_of(of_minus, 3, std::int64_t(1) << 62));
  expect_values(plus, of_plus), expect_values(minus, of_minus);
}

}  // namespace
}  // namespace onefold::test
