// SPDX-License-Identifier: Apache-2.0
// Logarithms of rows by blocks, by tiles or from memory: which requests have them, and answers of
// adverse rows.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/nested/finish_trial.hpp"
#include "cuda/nested/kernels.hpp"
#include "cuda/nested/ordered/log_tiles.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::random_source;
using onefold::test::source_of;

constexpr dtype narrow_floats[] = {dtype::f16, dtype::bf16, dtype::f32};

nested_request long_rows_of(dtype type, std::int64_t n) {
  const auto width = std::int64_t(size_bytes(type));
  nested_request made;
  made.of = accumulator::log_sum, made.input = type, made.x_kind = kind_of(type);
  made.aligned = true, made.shape = order::chunks, made.items = made.piece_items = n;
  made.outputs = 3, made.axes.kept = 1, made.axes.all = 2, made.finish.size = 1;
  made.axes.axis[0] = {made.outputs, n * width, 0, 0}, made.axes.axis[1] = {n, width, 0, 0};
  return made;
}

TEST(log_row_blocks, take_rows_of_one_piece_where_they_are_faster) {
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::f32, 1024)), 0u) << "a tile";
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::f32, 2048)), 0u) << "a warp's";
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::f32, 2047)), 128u) << "vectors are not aligned";
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::bf16, 8192)), 0u) << "a warp's";
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::bf16, 4097)), 160u) << "vectors are not aligned";
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::bf16, 16384)), 512u);
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::f32, 4096)), 256u);
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::f32, 8193)), 288u) << "in two batches";
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::f32, 16384)), 512u);
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::f32, 65536)), 1024u);
  EXPECT_EQ(log_row_lanes_of(long_rows_of(dtype::f64, 4096)), 0u);
  nested_request other = long_rows_of(dtype::f32, 65537);
  other.pieces = 2, other.piece_items = 65536;
  EXPECT_EQ(log_row_lanes_of(other), 0u) << "two pieces";
  other = long_rows_of(dtype::f32, 4096), other.finish.nan = nan_policy::omit;
  EXPECT_EQ(log_row_lanes_of(other), 0u);
  other = long_rows_of(dtype::f32, 4096), other.axes.axis[1].x_bytes = 8;
  EXPECT_EQ(log_row_lanes_of(other), 0u) << "no neighbours";
}

TEST(log_row_blocks, have_lanes_for_all_of_a_row) {
  for (const dtype type : narrow_floats) {
    const auto width = std::int64_t(size_bytes(type));
    for (std::int64_t n = (1 << 13) / width + 1; n <= 65536; n += 122) {
      const std::int64_t lanes = log_row_lanes_of(long_rows_of(type, n));
      const std::int64_t batch = lanes * log_row_units * 16;
      const std::int64_t batches = (n * width - 1) / batch + 1;
      ASSERT_TRUE(lanes % 32 == 0 && lanes >= 128 && lanes <= log_row_lanes) << n;
      ASSERT_LT(batches * batch - n * width, batches * 32 * log_row_units * 16) << n;
    }
  }
}

// Equal, zeros of both signs, without any number, with one infinity or NaN, near a result of zero.
template <class T>
void fill_adverse(random_source& random, std::int64_t n, T* x) {
  const auto kind = random.below(8);
  const auto number = [](double value) { return onefold::test::chopped<T>(value); };
  const double centre = random.one_in(2) ? 0 : random.normal() * 200;
  const double width = random.one_in(2) ? 1 : 40;
  for (std::int64_t i = 0; i < n; ++i) {
    if (kind == 0) x[i] = number(centre);
    if (kind == 1) x[i] = number(random.one_in(2) ? -0.0 : 0.0);
    if (kind == 2) x[i] = number(-INFINITY);
    if (kind == 3) x[i] = number(-std::log(double(n)) + 0x1p-6 * random.normal());
    if (kind > 3) x[i] = number(centre + width * random.normal());
  }
  T& some = x[random.one_in(3) ? (random.one_in(2) ? 0 : n - 1) : random.between(0, n - 1)];
  if (kind == 4) some = number(INFINITY);
  if (kind == 5) some = number(NAN);
  if (kind == 6) some = number(centre + 2000);
  if (kind == 2 && random.one_in(2)) some = number(centre);
}

// Rows `gap` elements apart, the first one `offset` elements behind a multiple of 16 bytes.
void check_rows(random_source& random, dtype input, std::int64_t n, std::int64_t gap,
                std::int64_t offset, std::uint64_t k) {
  const auto width = std::int64_t(size_bytes(input));
  nested_request of = long_rows_of(input, n);
  of.outputs = of.axes.axis[0].extent = n > 30000 ? 1 : random.between(1, 4);
  of.axes.axis[0].x_bytes = (n + gap) * width;
  std::vector<std::byte> x(std::size_t(of.outputs * (n + gap) + offset) * std::size_t(width));
  with_type(input, [&]<class T>(detail::tag<T>) {
    if constexpr (!std::is_integral_v<T>)
      for (std::int64_t row = 0; row < of.outputs; ++row)
        fill_adverse<T>(random, n, reinterpret_cast<T*>(x.data()) + offset + row * (n + gap));
  });
  simt::device gpu;
  of.x = gpu.memory().copy(std::span<const std::byte>(x), "x") + offset * width;
  finish_trial trial(random, of);
  if (!random.one_in(4)) trial.in_own_type();
  trial.check(gpu, some_grid(random),
              place_of(k) + std::to_string(of.outputs) + " rows of " + std::to_string(n) + " " +
                  std::string(name(input)));
}

TEST(log_row_blocks, write_the_answers_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(24, 12)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3710, k);
    const dtype input = narrow_floats[k % 3];
    const std::int64_t least = (1 << 13) / std::int64_t(size_bytes(input));
    const std::int64_t n = k % 12 == 11 ? 65536 - random.between(0, 9)
                           : k % 4 == 3 ? random.between(least, 30000)
                                        : random.between(least, least + 3000);
    const std::int64_t gap = random.one_in(2) ? 0 : random.between(1, 9);
    check_rows(random, input, n, gap, random.one_in(2) ? 0 : random.between(1, 7), k);
  }
}

TEST(log_row_tiles, take_whole_vectors_of_a_few_tiles) {
  const auto takes = [](dtype type, std::int64_t n) {
    return shared_log_rows_of(long_rows_of(type, n)).has_value();
  };
  EXPECT_FALSE(takes(dtype::f32, 1024)) << "a warp's tile";
  EXPECT_TRUE(takes(dtype::f32, 1028));
  EXPECT_FALSE(takes(dtype::f32, 1030)) << "no whole vectors";
  EXPECT_TRUE(takes(dtype::f32, 4096));
  EXPECT_FALSE(takes(dtype::f32, 4100)) << "five tiles";
  EXPECT_TRUE(takes(dtype::bf16, 8192));
  EXPECT_FALSE(takes(dtype::f64, 2048));
}

TEST(log_row_tiles, write_the_answers_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(24, 12)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3720, k);
    const dtype input = narrow_floats[k % 3];
    const std::int64_t each = 16 / std::int64_t(size_bytes(input));  // elements of a vector
    const std::int64_t vectors = k % 4 == 3 ? random.between(1000, 1024) : random.between(257, 600);
    check_rows(random, input, vectors * each, each * random.between(0, 2), 0, k);
  }
}

}  // namespace
}  // namespace onefold::cuda::test
