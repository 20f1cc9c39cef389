// SPDX-License-Identifier: Apache-2.0
// Words of logsumexp add in one band, the highest of all states; other sums of groups are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "collective/parts.hpp"
#include "onefold/detail/exponential_sum.hpp"

namespace onefold::test {
namespace {

__extension__ typedef __int128 int128;

/// Elements of a few bands that are often neighbours, among specials.
template <class T>
std::vector<T> banded_elements(random_source& random, std::uint64_t most) {
  std::vector<T> x = any_elements<T>(random, most);
  if (random.one_in(4)) return x;
  const int highest = random.between(-3, 3), bands = random.between(1, 4);
  for (T& each : x) {
    if (each != each || random.one_in(8)) continue;
    const double near = 512 * (highest - random.between(0, bands - 1)) + 500 * random.unit() - 250;
    if constexpr (std::is_integral_v<T>)
      each = T(near);
    else
      each = chopped<T>(near);
  }
  return x;
}

template <class T>
void try_bands(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < 300; ++k) {
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(k));
    random_source random = source_of(stream, k);
    const auto x = banded_elements<T>(random, 12);
    const auto cuts = any_cuts(random, x.size(), 6);
    std::vector<state> parts;
    state merged(op::logsumexp, dtype_of<T>);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      parts.push_back(state_of(op::logsumexp, x, cuts[i], cuts[i + 1]));
      merged.merge(parts.back());
    }
    const std::int64_t band = highest_band(parts);
    std::vector<word_group> groups, own;
    bool one_band = true;
    for (const state& part : parts) {
      groups.push_back(to_additive(part, band));
      own.push_back(to_additive(part));
      EXPECT_EQ(from_additive(own.back()).value(), part);
      one_band = one_band && own.back()[3] == own[0][3] && own.back()[6] == own[0][6] &&
                 additive_band(own.back()).value() == additive_band(own[0]).value();
    }
    const auto all = combined(random, groups, add_words);
    EXPECT_EQ(additive_band(all).value(), std::max<std::int64_t>(band, all[7] == 0 ? 0 : band));
    ASSERT_EQ(from_additive(all).value().bytes(), merged.bytes());
    ASSERT_EQ(merged.bytes(), state_of(op::logsumexp, x, 0, x.size()).bytes());
    const auto mixed = combined(random, own, add_words);
    ASSERT_EQ(from_additive(mixed).ok(), one_band);
    if (!one_band) {
      EXPECT_EQ(from_additive(mixed).why().code(), status_code::mismatch);
      EXPECT_EQ(additive_band(mixed).why().code(), status_code::mismatch);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(bands, are_raised_to_the_highest_before_words_add) {
  try_bands<double>(3700), try_bands<float>(3701), try_bands<bf16>(3702), try_bands<f16>(3703);
  try_bands<std::int64_t>(3704), try_bands<std::int16_t>(3705);
}

TEST(bands, have_keys_of_their_order) {
  const double bands[] = {-0x1p1014, -0x1p52 - 2, -0x1p52, -3, -1, 0, 1, 2, 0x1p52, 0x1p1014};
  std::int64_t before = detail::no_band;
  for (const double band : bands) {
    const std::int64_t key = detail::key_of_band(band);
    EXPECT_LT(before, key) << band;
    EXPECT_EQ(detail::band_of_key(key), band);
    before = key;
  }
  EXPECT_EQ(detail::band_of_key(detail::no_band), 0);
}

// Fields at their ends, and mixtures whose means are fields too: found by the squares alone.
TEST(bands, are_found_where_they_differ) {
  for (std::uint64_t k = 0; k < 20000; ++k) {
    random_source random = source_of(3710, k);
    std::int64_t words[detail::band_words] = {}, keys[4], groups = 0;
    const int kinds = random.between(1, 4);
    const std::uint64_t middle = random.one_in(4) ? 0x8000800080008000u : random();
    bool one = true;
    for (int i = 0; i < kinds; ++i) {
      keys[i] =
          std::int64_t(random.one_in(2) ? middle : middle ^ random() >> 63 << random.below(64));
      one = one && keys[i] == keys[0];
      const auto some =
          std::int64_t(random.one_in(2) ? 1 + random.below(3) : 1 + random.below(INT32_MAX / 4));
      std::int64_t group[detail::band_words];
      detail::write_band(keys[i], group);
      groups += some;
      for (int w = 0; w < detail::band_words; ++w) {
        const int128 sum = int128(group[w]) * some + words[w];
        ASSERT_EQ(sum, std::int64_t(sum)) << "no overflow";
        words[w] = std::int64_t(sum);
      }
    }
    ASSERT_EQ(detail::has_one_band(groups, words), one)
        << "ONEFOLD_TEST_SEED=" << seed() << ", case " << k;
    if (one) ASSERT_EQ(detail::read_band(groups, words), keys[0]);
  }
}

// What subtract leaves, or refuses, the words of differences leave and refuse.
template <class T>
void try_differences(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < 300; ++k) {
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(k));
    random_source random = source_of(stream, k);
    const auto kept = banded_elements<T>(random, 6), removed = banded_elements<T>(random, 6);
    const state one = state_of(op::logsumexp, kept, 0, kept.size());
    const state other = state_of(op::logsumexp, removed, 0, removed.size());
    const std::int64_t band = highest_band({one, other});
    word_group all = to_additive(one, band), gone = to_additive(other, band);
    combine(all, gone, add_words);
    ASSERT_TRUE(try_negate_additive(gone).ok());
    combine(all, gone, add_words);
    state wanted = one;
    const status possible = wanted.merge(other).try_subtract(other);
    const auto left = from_additive(all);
    ASSERT_EQ(left.ok(), possible.ok()) << left.why().message() << possible.message();
    if (left.ok())
      ASSERT_EQ(left->bytes(), one.bytes());
    else
      ASSERT_EQ(left.why().code(), status_code::unsupported);
  }
}

TEST(bands, negated_remove_as_subtract_does) {
  try_differences<double>(3720), try_differences<float>(3721), try_differences<f16>(3722);
  try_differences<std::int32_t>(3723);
}

TEST(bands, hold_two_to_the_thirty_one_less_one_groups) {
  const std::vector<double> x = {-DBL_MAX, std::nextafter(-DBL_MAX, 0.0), -DBL_MAX / 2};
  for (const auto& elements : {x, std::vector<double>{256, -256, -512.5, NAN, -INFINITY}}) {
    const state one = partial(op::logsumexp, elements);
    word_group all = to_additive(one);
    for (std::int64_t& word : all) {
      const int128 product = int128(word) * INT32_MAX;
      ASSERT_EQ(product, std::int64_t(product));
      word = std::int64_t(product);
    }
    state expected(op::logsumexp, dtype::f64), power = one;
    for (std::uint64_t k = INT32_MAX; k > 0; k >>= 1, power.merge(state(power)))
      if (k & 1) expected.merge(power);
    EXPECT_EQ(from_additive(all).value(), expected);
  }
}

TEST(bands, refuse_other_states) {
  const state low = partial(op::logsumexp, std::vector<float>{1});
  const state high = partial(op::logsumexp, std::vector<float>{1000});
  const state sum(op::sum, dtype::f32), min(op::min, dtype::f32);
  const std::int64_t band = additive_band(high).value();
  EXPECT_EQ(additive_band(low).value(), 0);
  EXPECT_EQ(additive_band(sum).value(), 0);
  EXPECT_EQ(additive_band(min).why().code(), status_code::unsupported);
  EXPECT_EQ(additive_band(state(op::logsumexp, dtype::f32)).value(), detail::no_band);
  EXPECT_EQ(to_additive(sum, 0), to_additive(sum));
  EXPECT_EQ(try_to_additive(sum, band).why().code(), status_code::usage);
  EXPECT_EQ(try_to_additive(high, 0).why().code(), status_code::usage) << "below its own";
  EXPECT_EQ(try_to_additive(high, band + 1).why().code(), status_code::usage) << "no integer";
  EXPECT_EQ(try_to_additive(high, INT64_MAX).why().code(), status_code::usage) << "NaN";
  EXPECT_THROW(to_additive(high, 0), error);
  // A band that no element has is no band of a state; of 3, the two below it are kept by none.
  const auto raised = to_additive(low, detail::key_of_band(3));
  EXPECT_EQ(from_additive(raised).why().code(), status_code::unsupported);
  EXPECT_EQ(from_additive(to_additive(low, detail::key_of_band(1))).value(), low);
  word_group words = to_additive(low);
  words.pop_back();
  EXPECT_EQ(additive_band(words).why().code(), status_code::malformed);
}

}  // namespace
}  // namespace onefold::test
