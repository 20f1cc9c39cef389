// SPDX-License-Identifier: Apache-2.0
// exact.hpp in a user's own loop: at compile time, in threads of his own, in any type.
#include "onefold/exact.hpp"

#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <thread>
#include <vector>

#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

template <class T, class... X>
constexpr T sum_of(X... x) {
  exact_sum<T> sum;
  (sum.add(x), ...);
  return sum.template value<T>();
}

static_assert(sum_of<double>(0.1, 0.2, 0.3) == 0.6);  // a loop of additions gives 0.6000…01
static_assert(sum_of<double>(1e300, 1.0, -1e300) == 1.0);
static_assert(sum_of<double>(1.7976931348623157e308, 1.7976931348623157e308,
                             -1.7976931348623157e308) == 1.7976931348623157e308);
static_assert(sum_of<float>(16777216.0f, 1.0f, 1.0f) == 16777218.0f);
static_assert(sum_of<double>(4.9406564584124654e-324, 4.9406564584124654e-324) ==
              9.8813129168249309e-324);
static_assert(sum_of<std::int64_t>(INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, 5) == 3);
static_assert(sum_of<f16>(f16{0x3C00}, f16{0x3C00}) == f16{0x4000});
static_assert(sum_of<bf16>(bf16{0x3F80}, bf16{0x3F80}) == bf16{0x4000});

constexpr bool merges_at_compile_time() {
  exact_sum<double> a, b, whole;
  for (const double x : {1e16, 3.0, -0x1p-1074}) a.add(x), whole.add(x);
  for (const double x : {-1e16, 0x1p-1000}) b.add(x), whole.add(x);
  a.merge(b);
  return a == whole && a.count() == 5 && a.value<float>() == 3.0f;
}
static_assert(merges_at_compile_time());
static_assert(std::is_trivially_copyable_v<exact_sum<double>>);
static_assert(std::is_trivially_copyable_v<exact_sum<int>>);

template <class T>
void try_threads() {
  for (std::uint64_t k = 0; k < families<T>().size(); ++k) {
    random_source random = source_of(2000 + sizeof(T), k);
    std::vector<T> x(20'000);
    families<T>()[k].fill(random, x.data(), x.size());
    oracle<T> expected;
    expected.add(x.data(), std::int64_t(x.size()));
    exact_sum<T> sum;
    std::mutex merging;
    std::vector<std::jthread> threads;
    for (std::size_t part = 0; part < 4; ++part)
      threads.emplace_back([&, part] {
        exact_sum<T> own;
        for (std::size_t i = part; i < x.size(); i += 4) own.add(x[i]);
        const std::lock_guard lock(merging);
        sum.merge(own);
      });
    threads.clear();
    EXPECT_EQ(hex(as_bits(sum.value())), hex(expected.value()))
        << "ONEFOLD_TEST_SEED=" << seed() << ", " << families<T>()[k].name;
    std::vector<std::int64_t> words;
    sum.for_each_word([&](std::int64_t word) { words.push_back(word); });
    EXPECT_EQ(words, expected.words()) << "ONEFOLD_TEST_SEED=" << seed();
  }
}

TEST(exact_header, merges_the_sums_of_a_users_threads) {
  try_threads<double>();
  try_threads<float>();
  try_threads<bf16>();
  try_threads<f16>();
}

// 2^30 deposits are what the limbs take before they must be carried; merges of sums that are close
// to that, and whose digits are as large as they become, must not overflow.
TEST(exact_header, carries_before_its_limbs_overflow) {
  exact_sum<double> sum;
  const double most = as_float<double>(ieee<double>::infinity - 1);
  for (int i = 0; i < 1000; ++i) sum.add(-most);
  mpz_class expected = (mpz_class(1) << 2098) - (mpz_class(1) << 2045);
  expected *= -1000;
  for (int doubled = 0; doubled < 50; ++doubled) {
    const exact_sum<double> copy = sum;
    sum.merge(copy);
    expected *= 2;
  }
  EXPECT_EQ(sum.count(), std::int64_t(1000) << 50);
  EXPECT_EQ(as_bits(sum.value()), ieee<double>::infinity | ieee<double>::sign);
  std::vector<std::int64_t> words;
  sum.for_each_word([&](std::int64_t word) { words.push_back(word); });
  mpz_class got = 0;
  for (int i = 67; i >= 0; --i) got = (got << 32) + mpz_class(long(words[std::size_t(i)]));
  EXPECT_EQ(got, expected);
}

// Without a carry on the way the limbs would overflow after 2^31 of these.
TEST(exact_header, takes_more_elements_than_its_limbs_hold) {
  const std::int64_t n = cases((std::int64_t(1) << 31) + 1'000'000);
  const std::int64_t k = (std::int64_t(1) << 53) - 1;
  exact_sum<double> up, down;
  for (std::int64_t i = 0; i < n; ++i) up.deposit(k, 11), down.deposit(-k, 1023);
  const auto value = [](const exact_sum<double>& sum) { return hex(as_bits(sum.value())); };
  const mpz_class total = mpz_class(long(k)) * mpz_class(long(n));
  EXPECT_EQ(value(up), hex(rounded<double>(total, ieee<double>::lsb + 11)));
  EXPECT_EQ(value(down), hex(rounded<double>(-total, ieee<double>::lsb + 1023)));
}

}  // namespace
}  // namespace onefold::test
