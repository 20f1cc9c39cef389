// SPDX-License-Identifier: Apache-2.0
// Segments of every length against each segment alone, whatever the pieces of work; and offsets
// that are wrong.
#include "onefold/segments.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/random.hpp"

namespace onefold::test {
namespace {

// Nothing, a few elements, or so many that all threads share one segment.
std::vector<std::int64_t> any_offsets(random_source& random, std::int64_t items) {
  std::vector<std::int64_t> offsets = {std::int64_t(random.below(100))};
  const int style = int(random.below(4));
  while (offsets.back() < items - 100) {
    std::int64_t length = std::int64_t(random.below(style == 0 ? 3 : style == 1 ? 200 : 20000));
    if (style == 3 && random.one_in(40)) length = 530'000 + std::int64_t(random.below(200'000));
    if (random.one_in(5)) length = 0;
    offsets.push_back(std::min(items, offsets.back() + length));
  }
  for (int i = 0; i < 5; ++i) offsets.push_back(offsets.back());
  return offsets;
}

template <class T>
void check_case(op op, accuracy how, random_source& random) {
  const std::int64_t items = 1'000'000;
  static const std::vector<T> x = [&] {
    std::vector<T> made(items);
    for (T& each : made) each = T(random.between(-1000, 1000)) / T(8);
    return made;
  }();
  const auto offsets = any_offsets(random, items);
  const auto count = std::int64_t(offsets.size()) - 1;
  std::vector<double> together(std::size_t(count), -1);
  options options = {.accuracy = how, .initial = scalar(T(1))};
  if (random.one_in(2) && op == op::sum) options.initial.reset();
  const executor::cpu on{int(random.between(1, 3))};
  const output_view output(together.data(), dtype::f64, {{count, 8}});
  ASSERT_TRUE(reduce_segments(on, op, x, offsets, output, options).ok());
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = std::size_t(k);
    const std::span<const T> part(x.data() + offsets[at],
                                  std::size_t(offsets[at + 1] - offsets[at]));
    if (part.size() < 1000 && !is_taken(std::uint64_t(k))) continue;
    double alone = -2;
    ASSERT_TRUE(reduce(executor::cpu{1}, op, {part}, alone, options).ok());
    ASSERT_EQ(std::memcmp(&alone, &together[at], sizeof alone), 0)
        << name(op) << ", segment " << k << " of " << count << ", " << part.size()
        << " elements: " << together[at] << " for " << alone;
  }
}

TEST(segments, answer_as_each_segment_alone) {
  random_source random(seed());
  for (std::int64_t i = 0; i < cases(6) && !HasFatalFailure(); ++i) {
    check_case<float>(op::sum, accuracy::exact, random);
    check_case<double>(op::sum, accuracy::fast, random);
    check_case<double>(op::max, accuracy::exact, random);
  }
}

// Many enough that several threads look.
TEST(segments, name_the_first_offset_that_is_wrong) {
  random_source random(seed());
  const std::vector<float> x(1'000'000, 1.0F);
  std::vector<float> sums(200'000);
  for (std::int64_t i = 0; i < cases(50); ++i) {
    std::vector<std::int64_t> offsets(sums.size() + 1);
    for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] = std::int64_t(5 * k);
    const std::size_t wrong = random.below(offsets.size());
    const std::int64_t values[] = {-1, 1'000'001, INT64_MIN, INT64_MAX,
                                   std::int64_t(5 * wrong) - 6};
    offsets[wrong] = values[random.below(std::size(values))];
    const output_view output(sums.data(), dtype::f32, {{std::int64_t(sums.size()), 4}});
    const status done = reduce_segments(executor::cpu{3}, op::sum, x, offsets, output);
    ASSERT_EQ(done.code(), status_code::mismatch) << wrong << ": " << offsets[wrong];
    const std::string named = "offset " + std::to_string(wrong) + " is";
    ASSERT_TRUE(done.message().find(named) != std::string::npos) << done.message();
  }
}

}  // namespace
}  // namespace onefold::test
