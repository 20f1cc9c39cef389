// SPDX-License-Identifier: Apache-2.0
// Extrema by two maxima, and states that are gathered as bytes.
#include <gtest/gtest.h>

#include "collective/parts.hpp"

namespace onefold::test {
namespace {

constexpr op extrema_ops[] = {op::min, op::max, op::argmin, op::argmax, op::minmax, op::norminf};

struct all_reduced {
  word_group counts, keys, positions;
};

all_reduced all_reduce(random_source& random, const std::vector<state>& parts) {
  std::vector<word_group> counts, keys, positions;
  for (const state& part : parts) {
    counts.push_back(extrema_counts(part).value());
    keys.push_back(extrema_keys(part).value());
  }
  const auto combined_keys = combined(random, keys, greater_word);
  for (const state& part : parts)
    positions.push_back(extrema_positions(part, combined_keys).value());
  return {combined(random, counts, add_words), combined_keys,
          combined(random, positions, greater_word)};
}

template <class T>
std::vector<T> few_values(random_source& random) {
  auto x = any_elements<T>(random, 12);
  if (!x.empty() && random.one_in(2))
    for (T& each : x) each = x[random.below(std::min<std::size_t>(x.size(), 3))];
  if constexpr (std::is_integral_v<T>)
    if (random.one_in(2))
      for (T& each : x)
        each = random.one_in(2) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  return x;
}

template <class T>
void try_extrema(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < 150; ++k) {
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(k));
    random_source random = source_of(stream, k);
    const auto x = few_values<T>(random);
    const auto cuts = any_cuts(random, x.size(), 6);
    for (const op op : extrema_ops) {
      std::vector<state> parts;
      std::vector<std::byte> gathered;
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        parts.push_back(state_of(op, x, cuts[i], cuts[i + 1]));
        const auto bytes = parts.back().bytes();
        gathered.insert(gathered.end(), bytes.begin(), bytes.end());
      }
      const auto expected = state_of(op, x, 0, x.size()).bytes();
      const auto [counts, keys, positions] = all_reduce(random, parts);
      const auto all = from_extrema(counts, keys, positions);
      ASSERT_TRUE(all.ok()) << all.why().message();
      ASSERT_EQ(all->bytes(), expected) << name(op) << " of " << name(dtype_of<T>);
      ASSERT_EQ(merge_gathered(gathered).value().bytes(), expected);
    }
  }
}

TEST(extrema_keys, are_the_state_of_the_union) {
  try_extrema<double>(3500), try_extrema<float>(3501), try_extrema<bf16>(3502);
  try_extrema<f16>(3503), try_extrema<std::int64_t>(3504), try_extrema<std::uint64_t>(3505);
  try_extrema<std::int8_t>(3506);
}

TEST(extrema_keys, refuse_other_states) {
  const state sum(op::sum, dtype::f32), min(op::min, dtype::f32), max(op::max, dtype::f32);
  EXPECT_EQ(extrema_counts(sum).why().code(), status_code::unsupported);
  EXPECT_EQ(extrema_keys(sum).why().code(), status_code::unsupported);
  EXPECT_EQ(extrema_positions(sum, word_group(3)).why().code(), status_code::unsupported);
  EXPECT_EQ(extrema_positions(min, word_group(2)).why().code(), status_code::malformed);
  const auto keys = extrema_keys(min).value();
  const auto positions = extrema_positions(min, keys).value();
  auto counts = extrema_counts(min).value();
  EXPECT_TRUE(from_extrema(counts, keys, positions).ok());
  EXPECT_EQ(from_extrema(counts, keys, {}).why().code(), status_code::malformed);
  EXPECT_EQ(from_additive(counts).why().code(), status_code::unsupported);
  counts[4] = 1;
  EXPECT_EQ(from_extrema(counts, keys, positions).why().code(), status_code::mismatch);
  combine(counts, extrema_counts(max).value(), add_words);
  EXPECT_EQ(from_extrema(counts, keys, positions).why().code(), status_code::mismatch);
  EXPECT_EQ(from_extrema(to_additive(sum), keys, positions).why().code(), status_code::unsupported);
}

TEST(gathered_states, merge_in_the_order_of_their_elements) {
  random_source random = source_of(3510, 0);
  std::vector<double> x(3 * 65536);
  for (double& each : x) each = random.normal();
  for (const op op : {op::prod, op::sum}) {
    std::vector<std::byte> gathered;
    state merged(op, dtype::f64);
    for (std::size_t i = 0; i < 3; ++i) {
      const state part = state_of(op, x, 65536 * i, 65536 * (i + 1));
      merged.merge(part);
      const auto bytes = part.bytes();
      gathered.insert(gathered.end(), bytes.begin(), bytes.end());
    }
    EXPECT_EQ(merge_gathered(gathered).value(), merged) << name(op);
    for (const std::size_t cut : {std::size_t(1), std::size_t(20)}) {
      const std::span<const std::byte> shorter(gathered.data(), gathered.size() - cut);
      EXPECT_EQ(merge_gathered(shorter).why().code(), status_code::malformed);
    }
    const auto other = state(op::mean, dtype::f64).bytes();
    gathered.insert(gathered.end(), other.begin(), other.end());
    EXPECT_EQ(merge_gathered(gathered).why().code(), status_code::mismatch);
  }
  EXPECT_EQ(merge_gathered({}).why().code(), status_code::malformed);
}

}  // namespace
}  // namespace onefold::test
