// SPDX-License-Identifier: Apache-2.0
// The exponentials of exact.hpp, by integers: the bits of the library's loops and states.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "onefold/collective.hpp"
#include "onefold/exact.hpp"
#include "onefold/reduce.hpp"
#include "state/exponential.hpp"
#include "state/logarithm.hpp"
#include "support/elements.hpp"
#include "support/words.hpp"

namespace onefold::test {
namespace {

constexpr double log_of_two() {
  exact_exponentials<double> two;
  two.add(0), two.add(0);
  return two.value();
}
static_assert(log_of_two() == 0x1.62e42fefa39efp-1);
static_assert(additive_words<exact_exponentials<float>> == 71);

std::string case_text(std::uint64_t k) {
  return "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(k);
}

template <class T>
void try_steps(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < 30'000; ++k) {
    random_source random = source_of(stream, k);
    T rest = T(512 * random.unit() - 256);
    if (random.one_in(3)) rest = std::ldexp(rest, -random.between(0, 140));
    ASSERT_EQ(detail::exact_exponential(rest), detail::exponential(rest)) << rest << case_text(k);
    const T x = random.one_in(4)
                    ? T(256 * random.between(-900, 900))
                    : any_of_exponent<T>(random, random.between(-ieee<T>::bias, ieee<T>::bias));
    const auto found = detail::exact_band_of(x);
    const auto right = detail::banded_of(x);
    ASSERT_EQ(found.band, double(right.band)) << x << case_text(k);
    ASSERT_EQ(found.rest, right.rest) << x << case_text(k);
    ASSERT_EQ(std::signbit(found.band), std::signbit(right.band)) << x;
  }
}

TEST(exact_exponentials, take_the_steps_of_the_library) {
  try_steps<float>(3900), try_steps<double>(3901);
  for (const double x : {0.0, -0.0, 0x1p-54, -0x1p-54, 0x1p-55, 0x1p-1074, 256.0, -256.0})
    EXPECT_EQ(detail::exact_exponential(x), detail::exponential(x)) << x;
  EXPECT_EQ(detail::exact_exponential(-0x1p-149f), 1);
}

TEST(exact_exponentials, have_the_logarithm_of_the_library) {
  for (std::uint64_t k = 0; k < 3000; ++k) {
    random_source random = source_of(3902, k);
    const double high = make<double>(false, random.between(-400, 432), random());
    const double part = high * 0x1p-53 * (random.unit() - 0.5);
    const double low = random.one_in(4) ? std::ldexp(part, -random.between(0, 300)) : part;
    const double band = random.one_in(3)
                            ? std::floor(std::ldexp(1 + random.unit(), random.between(0, 1013)))
                            : random.between(-3, 3);
    const auto got = detail::exact_logarithm({high, low, 0}, 512 * band);
    const auto right = detail::logarithm_of({high, low, 0}, 512 * band);
    ASSERT_EQ(got.high, right.high) << case_text(k);
    ASSERT_EQ(got.low, right.low) << case_text(k);
  }
}

/// Elements of any bits, or of a few bands; some specials among them.
template <class T>
T element_of(random_source& random, int kind) {
  if constexpr (std::is_integral_v<T>) {
    return T(kind == 0 ? random() : random() % 2000 - 1000);
  } else {
    if (random.one_in(30)) return as_float<T>(bits_of<T>(random()));
    if (kind == 0) return any_of_exponent<T>(random, random.between(-ieee<T>::bias, ieee<T>::bias));
    return chopped<T>(random.unit() * (kind == 1 ? 9 : 3000) - 500 * kind);
  }
}

template <class T>
void try_states(std::uint64_t stream) {
  using key = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
  for (std::uint64_t k = 0; k < 60; ++k) {
    SCOPED_TRACE(case_text(k));
    random_source random = source_of(stream, k);
    std::vector<T> x;
    std::vector<key> keys;
    exact_exponentials<T> parts[2];
    for (auto i = random.below(20); i > 0; --i) {
      x.push_back(element_of<T>(random, int(k % 3)));
      keys.push_back(key(x.back()));
      parts[random.below(2)].add(x.back());
    }
    exact_exponentials<T> whole = parts[0];
    whole.merge(parts[1]);
    const state right = partial(op::logsumexp, keys);
    const auto& known = detail::state_access::known(right);
    ASSERT_EQ(words_of(whole),
              words_of(std::get<typename detail::exponentials<key>::sum_type>(known)));
    ASSERT_EQ(as_bits(whole.template value<double>()), as_bits(right.value<double>()));
    ASSERT_EQ(as_bits(whole.template value<f16>()), as_bits(right.value<f16>()));

    const std::int64_t band = std::max(parts[0].band(), parts[1].band());
    std::int64_t words[additive_words<exact_exponentials<T>>], more[std::size(words)];
    write_additive(parts[0], band, words), write_additive(parts[1], band, more);
    for (std::size_t i = 0; i < std::size(words); ++i) words[i] += more[i];
    ASSERT_EQ(from_additive(words).value(), right);
    exact_exponentials<T> read;
    ASSERT_TRUE(read_additive(words, read));
    ASSERT_EQ(read, whole);
    negate_additive<exact_exponentials<T>>(more);
    for (std::size_t i = 0; i < std::size(words); ++i) words[i] += more[i];
    exact_exponentials<T> left = whole;
    const bool possible = left.subtract(parts[1]);
    ASSERT_EQ(read_additive(words, read), possible);
    ASSERT_TRUE(!possible || left == parts[0]);
    ASSERT_EQ(read, possible ? parts[0] : whole) << "is left as it was";
  }
}

TEST(exact_exponentials, are_the_states_of_the_library) {
  try_states<double>(3910), try_states<float>(3911), try_states<bf16>(3912);
  try_states<f16>(3913), try_states<int>(3914), try_states<std::int64_t>(3915);
  try_states<unsigned char>(3916);
}

TEST(exact_exponentials, take_unsigned_integers_and_specials) {
  exact_exponentials<std::uint64_t> large;
  large.add(std::numeric_limits<std::uint64_t>::max()), large.add(1u);
  EXPECT_EQ(large.value(), 0x1p64);
  exact_exponentials<float> some;
  EXPECT_EQ(some.value(), -INFINITY);
  some.add(-0.0f);
  EXPECT_FALSE(std::signbit(some.value()));
  some.add(INFINITY);
  EXPECT_EQ(some.value(), INFINITY);
  some.add(NAN);
  EXPECT_TRUE(std::isnan(some.value()));
  EXPECT_EQ(some.count(), 3);
  EXPECT_EQ(some.nan_count(), 1);
  EXPECT_EQ(some.without_nans().value(), INFINITY);
}

TEST(exact_exponentials, find_groups_of_several_bands) {
  exact_exponentials<double> low, high, read;
  low.add(1), high.add(1000);
  std::int64_t words[additive_words<exact_exponentials<double>>], more[std::size(words)];
  write_additive(low, words), write_additive(high, more);
  for (std::size_t i = 0; i < std::size(words); ++i) words[i] += more[i];
  EXPECT_FALSE(read_additive(words, read));
  EXPECT_EQ(read, exact_exponentials<double>());
}

}  // namespace
}  // namespace onefold::test
