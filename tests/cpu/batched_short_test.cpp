// SPDX-License-Identifier: Apache-2.0
// Segments as short as the loops of short outputs take, and a few longer ones among them: fast ones
// are their documented trees, exact ones correctly rounded where they are decided.
#include <gtest/gtest.h>

#include "cpu/batched_suite.hpp"
#include "cpu/kernels/targets.hpp"
#include "support/fast_model.hpp"

namespace onefold::test {
namespace {

// Loops change at 2, 4 and 8 elements, then at whole vectors.
constexpr int lengths[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 128, 129};
constexpr std::int64_t segments = 300;

template <class T>
T any_element(random_source& random) {
  if (random.one_in(40)) return make<T>(true, -ieee<T>::bias, 0);
  if (random.one_in(400)) return as_float<T>(bits_of<T>(ieee<T>::infinity));
  return any_of_exponent<T>(random, random.between(-9, 3));
}

// Every length up to `most`; and where `longer`, one in twenty up to ten times as long.
template <class T>
ragged<T> short_segments(random_source& random, int most, bool longer) {
  ragged<T> all;
  for (std::int64_t k = 0; k < segments; ++k) {
    const int reach = longer && random.one_in(20) ? 10 * most : most;
    all.offsets.push_back(all.offsets.back() + random.between(0, reach));
  }
  for (std::int64_t i = 0; i < all.offsets.back(); ++i) all.x.push_back(any_element<T>(random));
  all.y = all.x;
  return all;
}

template <class T>
std::string expected_fast(const ragged<T>& all, std::int64_t k) {
  using accumulator = typename fast_model<T>::accumulator;
  const std::vector<T> segment(all.x.begin() + all.offsets[std::size_t(k)],
                               all.x.begin() + all.offsets[std::size_t(k) + 1]);
  const accumulator sum = fast_model<T>::sum(segment);
  oracle<accumulator> one;
  one.add(&sum, 1);
  return hex(one.template value<float>());
}

template <class T>
std::string expected_exact(const ragged<T>& all, std::int64_t k) {
  const T* const x = all.x.data() + all.offsets[std::size_t(k)];
  return hex(total_of(op::sum, x, x, all.size(k)).template sum<float>());
}

template <class T>
void expect_segments(const ragged<T>& all, accuracy how, const std::string& where) {
  const cpu::batched_request request = {cpu::batched_shape::segments, op::sum, how, dtype_of<T>,
                                        dtype::f32};
  std::vector<std::string> expected;
  for (std::int64_t k = 0; k < segments; ++k)
    expected.push_back(how == accuracy::fast ? expected_fast(all, k) : expected_exact(all, k));
  for (const auto* table : cpu::tables()) {
    const auto got = run(table->batched, segments_of(all, request));
    for (std::size_t k = 0; k < expected.size(); ++k) {
      if (got.ambiguous[k]) continue;
      EXPECT_EQ(hex(output<float>(got, std::int64_t(k))), expected[k])
          << where << ", " << table->target << ", segment " << k;
    }
    EXPECT_LE(got.reported, how == accuracy::fast ? 0 : segments / 4) << where;
  }
}

template <class T>
void try_lengths(accuracy how) {
  std::uint64_t index = 0;
  for (const int most : lengths)
    for (const bool longer : {false, true}) {
      random_source random = source_of(1500 + sizeof(T), index++);
      expect_segments(short_segments<T>(random, most, longer), how,
                      "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", up to " +
                          std::to_string(most) + (longer ? " or longer" : ""));
    }
}

TEST(batched_short_segments, with_fast_sums_are_the_documented_tree) {
  try_lengths<float>(accuracy::fast);
  try_lengths<f16>(accuracy::fast);
  try_lengths<bf16>(accuracy::fast);
}
TEST(batched_short_segments, with_certified_sums_are_correctly_rounded) {
  try_lengths<float>(accuracy::exact);
  try_lengths<f16>(accuracy::exact);
  try_lengths<bf16>(accuracy::exact);
}

}  // namespace
}  // namespace onefold::test
