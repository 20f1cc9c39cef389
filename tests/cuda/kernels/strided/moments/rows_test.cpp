// SPDX-License-Identifier: Apache-2.0
// Variances and deviations of rows, by tiles and by vectors of several, under the executor.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/kernels/strided/finish_trial.hpp"
#include "cuda/kernels/strided/moments/moment_rows.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::source_of;

// x[planes][count][n], each axis dense or with a gap behind.
struct some_rows {
  strided_request request;
  std::int64_t bytes;

  some_rows(random_source& random, dtype input, std::int64_t n) {
    const auto width = std::int64_t(size_bytes(input));
    const std::int64_t planes = random.one_in(2) ? 1 : random.between(1, 5);
    const std::int64_t count = n < 40 ? random.between(1, 130) : random.between(1, 7);
    std::int64_t row = n * width, plane;
    if (random.one_in(2)) row += random.one_in(2) ? -row & 15 : random.between(0, 5) * width;
    plane = count * row + (random.one_in(2) ? 0 : random.between(0, 9) * width);
    request.accumulator = accumulator::moments, request.input = input,
    request.x_kind = request.y_kind = kind_of(input);
    request.items = request.piece_items = n, request.outputs = planes * count,
    request.aligned = true;
    request.axes.kept = planes > 1 ? 2 : 1, request.axes.all = request.axes.kept + 1;
    if (planes > 1) request.axes.axis[0] = {planes, plane, 0, 0};
    request.axes.axis[request.axes.kept - 1] = {count, row, 0, 0};
    request.axes.axis[request.axes.kept] = {n, width, 0, 0};
    bytes = (planes - 1) * plane + (count - 1) * row + n * width;
  }
};

TEST(moments_of_rows, have_tiles_that_fit_their_stages) {
  for (const int width : {1, 2, 4, 8})
    for (std::int64_t n = 1; n < 5000; ++n)
      for (const bool vectors : {false, true})
        for (int k = 0; k < 4; ++k) {
          const bool dense = k % 2 == 0, inner = k >= 2;
          if (vectors && n * width % 16 != 0) continue;
          const row_tile_shape shape = row_tile_shape_of(n, width, vectors, dense, inner);
          const std::string where = std::to_string(n) + " of " + std::to_string(width) + " bytes";
          ASSERT_LE(shape.stages * shape.stage_bytes, row_stages_bytes) << where;
          const int before = vectors ? 0 : shape.alignment - 1;
          ASSERT_GE(shape.stage_bytes, shape.rows * shape.pitch + before) << where;
          ASSERT_TRUE(shape.rows * shape.lanes <= 32 || shape.rows * shape.lanes % 32 == 0)
              << where;
          ASSERT_TRUE(shape.rows == 1 || shape.rows * shape.lanes >= 28) << where;
          ASSERT_TRUE(shape.piece == n || (shape.rows == 1 && shape.lanes == 32)) << where;
        }
}

TEST(moments_of_rows, have_one_lane_up_to_37_floats) {
  const auto additions = [](std::int64_t n, bool vectors) {
    return row_tile_shape_of(n, 4, vectors, true);
  };
  EXPECT_EQ(additions(33, false).lanes, 1);
  EXPECT_EQ(additions(33, false).rows, 31) << "32 are more than a stage";
  EXPECT_EQ(additions(37, false).rows, 28) << "an eighth of the lanes has none";
  EXPECT_EQ(additions(38, false).lanes, 2);
  EXPECT_FALSE(row_tile_shape_of(37, 4, false, true, true).inner);
  EXPECT_TRUE(row_tile_shape_of(38, 4, false, true, true).inner);
}

TEST(moments_of_rows, in_pieces_have_no_more_blocks_than_run_at_once) {
  strided_rows rows = {1, 1 << 20, 1024, 4096, nullptr, nullptr, {}, true};
  rows.shape = row_tile_shape_of(rows.items, 4, true, true);
  const unsigned at_once = 132 * row_tile_blocks;
  EXPECT_GT(blocks_of(rows, 132, heavy_steps), 20 * at_once);
  rows.items = 1028, rows.shape = row_tile_shape_of(rows.items, 4, true, true);
  EXPECT_EQ(blocks_of(rows, 132, heavy_steps), at_once);
}

std::int64_t some_length(random_source& random, dtype input) {
  switch (random.below(4)) {
  case 0:
    return random.between(1, 9);
  case 1:
    return std::int64_t(1) << random.between(0, 10);
  case 2:
    return random.between(1, 200);
  default:  // about one tile, and several
    return row_tile_bytes / std::int64_t(size_bytes(input)) * random.between(1, 3) +
           random.between(-20, 20);
  }
}

// Exact sums of f64 of any exponents take the executor long.
void fill_moderately(random_source& random, std::vector<std::byte>& to) {
  for (std::size_t i = 0; i + sizeof(double) <= to.size(); i += sizeof(double)) {
    const double x = double(std::int64_t(random())) * 0x1p-60;
    std::memcpy(to.data() + i, &x, sizeof x);
  }
}

TEST(moments_of_rows, are_those_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(90, 45)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3600, k);
    const dtype input = floats[k % 4];
    some_rows rows(random, input, some_length(random, input));
    const std::int64_t before = random.one_in(2) ? 0 : random.between(0, 9) * 2;
    std::vector<std::byte> x(std::size_t(rows.bytes));
    if (input == dtype::f64 && !random.one_in(6))
      fill_moderately(random, x);
    else
      with_type(input, [&]<class T>(detail::tag<T>) {
        if constexpr (!std::is_integral_v<T>) fill_rows<T>(random, x);
      });
    // Bytes before and behind the rows are not to be read: the executor would report it.
    simt::device gpu;
    const std::int64_t shift = before / 2 * std::int64_t(size_bytes(input));
    std::vector<std::byte> held(std::size_t(shift + rows.bytes));
    std::memcpy(held.data() + shift, x.data(), x.size());
    rows.request.x = gpu.memory().copy(std::span<const std::byte>(held), "x") + shift;
    simt::launch_config grid = some_grid(random);
    grid.step_budget = std::uint64_t(1) << 24;  // variances of f64 have up to 270 limbs
    finish_trial(random, rows.request)
        .check(gpu, grid,
               place_of(k) + std::to_string(rows.request.outputs) + " rows of " +
                   std::to_string(rows.request.items) + " " + std::string(name(input)));
  }
}

TEST(moments_of_rows, ambiguous_ones_are_those_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(60, 30)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3620, k);
    const dtype input = floats[k % 3];
    some_rows rows(random, input, random.one_in(2) ? 2 : random.between(3, 140));
    std::vector<std::byte> x(std::size_t(rows.bytes));
    with_type(input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) fill_halfway<T>(random, x);
    });
    simt::device gpu;
    rows.request.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    finish_trial(random, rows.request)
        .check(gpu, some_grid(random),
               place_of(k) + std::to_string(rows.request.outputs) + " rows of " +
                   std::to_string(rows.request.items) + " " + std::string(name(input)));
  }
}

// The bits of a normal number that T has.
template <class T>
typename detail::float_format<T>::bits bits_of_number(double x) {
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  if (x == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);
  const auto digits = bits(std::uint64_t(std::ldexp(fraction, format::precision)));
  const auto field = std::uint64_t(exponent - 1 + format::max_exponent);
  return bits((x < 0 ? format::sign_bit : bits(0)) | field << format::fraction_bits |
              (digits ^ format::hidden_bit));
}

// Pairs whose variance or deviation is a tie in T, or is next to one by far less than doubles tell.
template <class T>
void fill_with_ties(random_source& random, op operation, std::int64_t n,
                    std::vector<std::byte>& to) {
  using format = detail::float_format<T>;
  constexpr int digits = format::precision;
  const std::int64_t row = n * std::int64_t(sizeof(T));
  for (std::size_t at = 0; at + std::size_t(row) <= to.size(); at += std::size_t(row)) {
    const bool is_last = at + 2 * std::size_t(row) > to.size();
    if (!is_last && !random.one_in(20)) continue;
    double x = std::ldexp(1, digits) + 2 * double(random.between(0, 5)), y = -1;
    if (operation == op::var) {  // their distance is odd, and its square has a bit too many
      const auto least = std::int64_t(std::ceil(std::sqrt(std::ldexp(1, digits)))) | 1;
      x = double(least + 2 * random.between(0, 2));
      const int exponent = std::is_same_v<T, f16> || random.one_in(2) ? -14 : -60;
      y = random.one_in(2) ? 0 : std::ldexp(random.one_in(2) ? 1 : -1, exponent);
    }
    const bool turned = random.one_in(2);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto bits = bits_of_number<T>((i % 2 == 0) == turned ? y : x);
      std::memcpy(to.data() + at + std::size_t(i) * sizeof(T), &bits, sizeof bits);
    }
  }
}

// Few rows, and more than all warps take in a step. Rows apart, and elements or answers that are no
// vectors, go by tiles.
TEST(moments_of_rows, of_which_a_vector_holds_several) {
  std::uint64_t index = 0;
  int packed = 0;
  for (const dtype input : {dtype::f32, dtype::f16, dtype::bf16})
    for (const std::int64_t n : {2, 4})
      for (const op op : {op::var, op::stddev})
        for (int k = 0; k < 2 * cases(2, 1) && !testing::Test::HasFailure(); ++k) {
          const auto width = std::int64_t(size_bytes(input));
          if (n * width > 8) continue;
          random_source random = source_of(3700, index++);
          const bool apart = random.one_in(8), shifted = random.one_in(8);
          const std::int64_t rows = 16 / (n * width);
          const std::int64_t many = 4 * 32 * (width == 4 ? 8 : 4) * rows;
          const std::int64_t count = random.between(1, 70) + (k == 0 ? many : 0);
          strided_request request;
          request.accumulator = accumulator::moments, request.input = input,
          request.x_kind = request.y_kind = kind_of(input);
          request.items = request.piece_items = n, request.outputs = count, request.aligned = true;
          request.axes.kept = 1, request.axes.all = 2;
          request.axes.axis[0] = {count, (n + apart) * width, 0, 0};
          request.axes.axis[1] = {n, width, 0, 0};
          std::vector<std::byte> x(std::size_t((count * (n + apart) + shifted) * width));
          with_type(input, [&]<class T>(detail::tag<T>) {
            if constexpr (!std::is_integral_v<T>) {
              fill_rows<T>(random, x);
              if (!apart && !shifted) fill_with_ties<T>(random, op, n, x);
            }
          });
          simt::device gpu;
          request.x = gpu.memory().copy(std::span<const std::byte>(x), "x") + shifted * width;
          simt::launch_config grid = some_grid(random);
          if (k == 0) grid.grid = {1};
          finish_trial trial(random, request);
          if (!random.one_in(8)) trial.in_own_type();
          const strided_request& packed_request = trial.of_one(op).request();
          const bool takes = moment_rows_of(packed_request)->packed;
          EXPECT_EQ(takes,
                    !apart && !shifted && packed_request.finish.nan == nan_policy::propagate);
          packed += takes;
          trial.check(gpu, grid,
                      place_of(index) + std::to_string(count) + " rows of " + std::to_string(n) +
                          " " + std::string(name(input)));
        }
  EXPECT_GT(packed, 5);
}

TEST(moments_of_rows, are_packed_where_their_answers_are_vectors_too) {
  strided_request request;
  request.accumulator = accumulator::moments, request.input = dtype::f32,
  request.x_kind = kind_of(request.input);
  request.aligned = true, request.items = request.piece_items = 2, request.outputs = 5;
  request.axes.kept = 1, request.axes.all = 2;
  request.axes.axis[0] = {5, 8, 0, 0}, request.axes.axis[1] = {2, 4, 0, 0};
  alignas(16) static std::byte memory[64];
  request.x = memory;
  const auto are = [&](op op, dtype type, int shift) {
    request.finish.size = 1, request.finish.answers[0] = {memory + shift, op, type};
    return moment_rows_of(request).value().packed;
  };
  EXPECT_TRUE(are(op::var, dtype::f32, 0));
  EXPECT_TRUE(are(op::stddev, dtype::f32, 16));
  EXPECT_FALSE(are(op::var, dtype::f32, 8)) << "answers are no vectors";
  EXPECT_FALSE(are(op::var, dtype::f16, 0)) << "of another type";
  EXPECT_FALSE(are(op::mean, dtype::f32, 0));
  request.finish.nan = nan_policy::error;
  EXPECT_FALSE(are(op::var, dtype::f32, 0)) << "not all answers are written";
  request.finish.nan = nan_policy::propagate;
  request.finish.correction = -1;
  EXPECT_FALSE(are(op::var, dtype::f32, 0)) << "a third of a square is no product by 1/2 or 1/4";
  request.finish.correction = 1;
  EXPECT_TRUE(are(op::var, dtype::f32, 0));
  request.finish.correction = 0;
  request.items = request.piece_items = 3;
  request.axes.axis[0] = {5, 12, 0, 0}, request.axes.axis[1] = {3, 4, 0, 0};
  EXPECT_FALSE(are(op::var, dtype::f32, 0)) << "rows of three";
}

// Elements 0, ±4096, ±1, ±small: their variance is 2 (2^24 + 1 + small^2) / n, in f32 a tie or a
// little more. m: what the interval allows for.
float variance_near_a_tie(std::int64_t n, float small, double m) {
  std::vector<float> x(std::size_t(n), 0);
  const float some[] = {0, 4096, -4096, 1, -1, small, -small};
  std::copy(std::begin(some), std::end(some), x.begin());
  simt::device gpu;
  strided_request request;
  request.accumulator = accumulator::moments, request.input = dtype::f32,
  request.x_kind = kind_of(request.input);
  request.aligned = true, request.items = request.piece_items = n, request.outputs = 1;
  request.axes.kept = 1, request.axes.all = 2;
  request.axes.axis[0] = {1, n * 4, 0, 0}, request.axes.axis[1] = {n, 4, 0, 0};
  request.x = reinterpret_cast<const std::byte*>(gpu.memory().copy(std::span<const float>(x), "x"));
  auto* const answer = gpu.memory().allocate<float>(1, "answer");
  request.finish.size = 1, request.finish.answers[0] = {answer, op::var, dtype::f32};
  launch_rows(gpu, {.grid = {1}, .block = {strided_threads}}, request, m);
  for (const auto& finding : gpu.report())  // as finish_trial
    if (finding.text().find("uninitialised: include/onefold/") != 0)
      ADD_FAILURE() << finding.text();
  return *answer;
}

TEST(moments_of_rows, near_a_tie_need_their_interval) {
  constexpr double none = -7;  // 7 m + 48 < 0: nothing is ambiguous
  for (const std::int64_t n : {8, 64, 1024, 2048}) {
    const double m = row_tile_additions(row_tile_shape_of(n, 4, true, true), n);
    const float below = float(0x2p24 / double(n)), above = float((0x2p24 + 4) / double(n));
    EXPECT_EQ(variance_near_a_tie(n, 0, m), below) << n;
    // Lost by sums in binary64, by double words, and by neither.
    for (const float small : {0x1p-20f, 0x1p-60f, 0x1p-3f})
      EXPECT_EQ(variance_near_a_tie(n, small, m), above) << n << ' ' << small;
    EXPECT_EQ(variance_near_a_tie(n, 0x1p-20f, none), below) << "a mutant without an interval";
  }
}

}  // namespace
}  // namespace onefold::cuda::test
