// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of rows under the executor, by tiles and by vectors of several rows: as
// the CPU's of the same elements, one row behind the other.

#include <bit>
#include <cstring>

#include "tests/cuda/kernels/segments/runs.hpp"
#include "tests/cuda/kernels/segments/selected_elements.hpp"

namespace onefold::test {
namespace {

// x[planes][count][n], elements from one row and plane to the next; before the first one `shift`.
struct rows_case {
  cuda::segments_request request;
  std::int64_t planes = 1, count = 1, n = 1, row = 1, plane = 1, shift = 0, first_index = 0;
  std::int64_t out_shift = 0;  ///< bytes
  unsigned blocks = 1;

  std::size_t answers() const { return std::size_t(planes * count); }
  std::int64_t items() const { return (planes - 1) * plane + (count - 1) * row + n; }
  std::size_t output_bytes() const {
    return answers() * std::size_t(answers_of(request.op)) * size_bytes(request.output);
  }
  std::string text() const {
    return std::string(name(request.op)) + " of " + std::string(name(request.input)) + ", x[" +
           std::to_string(planes) + "][" + std::to_string(count) + "][" + std::to_string(n) +
           "], rows " + std::to_string(row) + " apart, planes " + std::to_string(plane) +
           ", shift " + std::to_string(shift) + ", of the answers " + std::to_string(out_shift) +
           ", seed " + std::to_string(seed());
  }
};

rows_case dense_rows(op op, dtype type, std::int64_t count, std::int64_t n) {
  rows_case c;
  c.request = {op, accuracy::exact, nan_policy::propagate, type, default_output(op, type)};
  c.count = count, c.n = c.row = n, c.plane = count * n;
  return c;
}

// Bytes before and behind the rows are not to be read: the executor would report it.
cuda::row_folds folds_of(const rows_case& c, const std::vector<std::byte>& x, simt::device& gpu) {
  const auto width = std::int64_t(size_bytes(c.request.input));
  std::vector<std::byte> held(std::size_t(c.shift * width) + x.size());
  std::copy(x.begin(), x.end(), held.end() - std::ptrdiff_t(x.size()));
  cuda::strided_request request;
  request.input = c.request.input, request.x_kind = request.y_kind = cuda::kind_of(request.input);
  request.x = gpu.memory().copy(std::span<const std::byte>(held), "x") + c.shift * width;
  request.items = request.piece_items = c.n, request.outputs = c.planes * c.count,
  request.aligned = true;
  request.axes.kept = c.planes > 1 ? 2 : 1, request.axes.all = request.axes.kept + 1;
  if (c.planes > 1) request.axes.axis[0] = {c.planes, c.plane * width, 0, 0};
  request.axes.axis[request.axes.kept - 1] = {c.count, c.row * width, 0, 0};
  request.axes.axis[request.axes.kept] = {c.n, width, 0, 0};
  if (c.n == 1) request.axes.all = request.axes.kept;  // as plans have it
  EXPECT_TRUE(cuda::has_rows(request)) << c.text();
  const std::size_t bytes = std::size_t(c.out_shift) + c.output_bytes();
  auto* const out = gpu.memory().allocate<std::uint64_t>((bytes + 7) / 8, "out");
  return cuda::row_folds_of(c.request, request, reinterpret_cast<std::byte*>(out) + c.out_shift,
                            c.first_index);
}
std::vector<std::byte> run(const rows_case& c, const std::vector<std::byte>& x) {
  simt::device gpu;
  const cuda::row_folds folds = folds_of(c, x, gpu);
  run_row_folds(gpu,
                {.grid = {c.blocks},
                 .block = {cuda::row_tile_warps * cuda::warp_lanes},
                 .order = simt::schedule::shuffled},
                folds);
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << c.text() << ": " << f.text();
  const auto* const bytes = static_cast<const std::byte*>(folds.out);
  return {bytes, bytes + c.output_bytes()};
}

// Rows as segments.
std::vector<std::byte> expected(const rows_case& c, const std::vector<std::byte>& x) {
  const std::size_t width = size_bytes(c.request.input), bytes = std::size_t(c.n) * width;
  std::vector<std::byte> rows;
  offset_list offsets = {0};
  for (std::int64_t p = 0; p < c.planes; ++p)
    for (std::int64_t k = 0; k < c.count; ++k) {
      const std::byte* const row = x.data() + std::size_t(p * c.plane + k * c.row) * width;
      rows.insert(rows.end(), row, row + bytes);
      offsets.push_back(offsets.back() + c.n);
    }
  auto right = cpu_answers(c.request, offsets, rows, c.first_index);
  if (c.request.op == op::argmin || c.request.op == op::argmax) count_in_rows(right, c.n);
  return right;
}

bool check(const rows_case& c, const std::vector<std::byte>& x) {
  const auto right = expected(c, x), got = run(c, x);
  EXPECT_EQ(got, right) << c.text();
  return got == right && !testing::Test::HasFailure();
}

std::int64_t some_length(random_source& random, std::int64_t width) {
  switch (random.below(5)) {
  case 0:
    return random.between(1, 9);
  case 1:
    return std::int64_t(1) << random.between(0, 10);
  case 2:
    return random.between(1, 300);
  case 3:
    return random.between(300, 1100);
  default:  // about one tile, and several
    return cuda::row_tile_bytes / width * random.between(1, 3) + random.between(-20, 20);
  }
}

// Dense, or with gaps of a few elements; overlapping now and then.
rows_case some_rows(random_source& random, op op, dtype type) {
  const auto width = std::int64_t(size_bytes(type));
  const std::int64_t n = some_length(random, width);
  rows_case c = dense_rows(op, type, random.between(1, n < 40 ? 230 : n < 500 ? 40 : 6), n);
  if (random.one_in(2)) c.planes = random.between(2, 4);
  if (random.one_in(2)) c.row += random.one_in(2) ? -n & (16 / width - 1) : random.between(0, 5);
  if (random.one_in(9)) c.row = random.between(0, int(n));
  c.plane = c.count * c.row + (random.one_in(2) ? 0 : random.between(0, 20));
  if (random.one_in(2)) c.plane += -c.plane & (16 / width - 1);
  if (random.one_in(2)) c.shift = random.between(1, 17);
  c.first_index = random.between(0, 5), c.blocks = unsigned(random.between(1, 3));
  return c;
}

TEST(cuda_row_folds, are_right_for_every_operator_type_and_shape) {
  std::uint64_t index = 0;
  for (const op op : selections)
    for (const dtype type : all_dtypes)
      for (int k = 0; k < cases(4, 2); ++k) {
        if (accumulator_of(op) == onefold::accumulator::bits && is_floating(type)) continue;
        random_source random = source_of(11, ++index);
        rows_case c = some_rows(random, op, type);
        const bool counts = accumulator_of(op) == onefold::accumulator::counts;
        if (counts && random.one_in(2)) c.request.nan = nan_policy::omit;
        if (!check(c, elements(random, type, c.items(), random.one_in(2)))) return;
      }
}

// Equal elements in other vectors, lanes and pieces; zeros of both signs, NaNs of both.
TEST(cuda_row_folds, have_the_positions_of_the_first) {
  std::uint64_t index = 0;
  for (const op op : {op::argmin, op::argmax})
    for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64})
      for (const std::int64_t n : {2, 8, 13, 64, 700, 2100})
        for (const unsigned rarely : {30u, 2000u}) {
          random_source random = source_of(12, ++index);
          rows_case c = dense_rows(op, type, n < 100 ? 40 : 5, n);
          with_type(type, [&]<class T>(detail::tag<T>) {
            if constexpr (!std::is_integral_v<T>) {
              using format = detail::float_format<T>;
              using bits = typename format::bits;
              std::vector<bits> x(std::size_t(c.items()));
              for (bits& value : x) {
                value = random.one_in(50) ? bits(random.between(1, 2)) : bits(0);
                if (random.one_in(rarely)) value = bits(format::infinity + random.below(2));
                if (random.one_in(2)) value |= format::sign_bit;
              }
              check(c, bytes_of(x));
            }
          });
          if (HasFailure()) return;
        }
}

// The least and the largest integer, alone and with their neighbours.
TEST(cuda_row_folds, are_right_at_the_ends_of_integers) {
  std::uint64_t index = 0;
  for (const op op : {op::min, op::max, op::minmax, op::argmin, op::argmax})
    for (const dtype type : all_dtypes)
      with_type(type, [&]<class T>(detail::tag<T>) {
        if constexpr (std::is_integral_v<T>) {
          random_source random = source_of(13, ++index);
          const rows_case c = dense_rows(op, type, 30, random.between(1, 50));
          std::vector<std::byte> x;
          for (std::int64_t i = 0; i < c.items(); ++i) {
            const T end =
                random.one_in(2) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
            const T value = random.one_in(4) ? T(end ^ T(1)) : end;
            const auto* at = reinterpret_cast<const std::byte*>(&value);
            x.insert(x.end(), at, at + sizeof value);
          }
          check(c, x);
        }
      });
}

// Ends of the type, its least numbers and any others; NaNs of both signs and of any payload.
std::vector<std::byte> special_elements(random_source& random, dtype type, std::int64_t n) {
  return with_type(type, [&]<class T>(detail::tag<T>) {
    std::vector<std::byte> x;
    for (std::int64_t i = 0; i < n; ++i) {
      T value{};
      if constexpr (std::is_same_v<T, bool>) {
        value = random.one_in(2);
      } else if constexpr (std::is_integral_v<T>) {
        using limits = std::numeric_limits<T>;
        const T some[] = {0, 1, T(-1), limits::min(), limits::max(), T(random())};
        value = some[random.below(6)];
      } else {
        using format = detail::float_format<T>;
        using bits = typename format::bits;
        const bits some[] = {0,
                             1,
                             format::infinity,
                             bits(format::infinity - 1),
                             bits(format::infinity | random.below(3)),
                             bits(random())};
        value = detail::from_bits<T>(
            bits(some[random.below(6)] ^ (random.one_in(2) ? format::sign_bit : bits(0))));
      }
      const auto* at = reinterpret_cast<const std::byte*>(&value);
      x.insert(x.end(), at, at + sizeof value);
    }
    return x;
  });
}

// Zeros of both signs, and rows of which one element is no number.
std::vector<std::byte> zeros_and_nans(random_source& random, dtype type, std::int64_t n) {
  std::vector<std::byte> x = special_elements(random, type, n);
  const auto width = std::int64_t(size_bytes(type));
  for (std::int64_t i = 0; i < n; ++i) {
    if (random.one_in(100)) continue;
    std::memset(x.data() + i * width, 0, std::size_t(width));
    if (random.one_in(2)) x[std::size_t((i + 1) * width - 1)] = std::byte(0x80);
  }
  return x;
}

// By one operation for each word, if one extremum is asked for; by keys, if both are.
TEST(cuda_row_folds, have_right_extrema_of_floats) {
  std::uint64_t index = 0;
  for (const op op : {op::min, op::max, op::minmax, op::norminf})
    for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64})
      for (const std::int64_t n : {1, 3, 8, 33, 34, 64, 129, 513, 1030}) {
        random_source random = source_of(16, ++index);
        rows_case c = dense_rows(op, type, n < 100 ? 70 : 5, n);
        c.shift = random.between(0, 3);
        const bool zeros = random.one_in(2);
        if (!check(c, zeros ? zeros_and_nans(random, type, c.items())
                            : special_elements(random, type, c.items())))
          return;
      }
}

bool may_be_packed(const rows_case& c) {
  const auto bytes = c.n * std::int64_t(size_bytes(c.request.input));
  const auto answer = std::int64_t(c.output_bytes() / c.answers());
  return c.n > 1 && bytes <= 8 && std::has_single_bit(std::uint64_t(bytes)) && answer <= bytes &&
         (c.request.op != op::norminf || is_floating(c.request.input));
}

// Of each operator, type and length: few rows, and more than all warps take in a step. Rows apart,
// and elements or answers that are no vectors, go by tiles.
TEST(cuda_row_folds, are_right_where_a_vector_holds_several_rows) {
  std::uint64_t index = 0;
  int packed = 0;
  for (const op op : selections)
    for (const dtype type : all_dtypes)
      for (const std::int64_t n : {2, 4, 8}) {
        if (accumulator_of(op) == onefold::accumulator::bits && is_floating(type)) continue;
        random_source random = source_of(15, ++index);
        rows_case c = dense_rows(op, type, random.between(1, 70), n);
        if (!may_be_packed(c)) continue;
        if (accumulator_of(op) == onefold::accumulator::counts && random.one_in(2))
          c.request.nan = nan_policy::omit;
        c.first_index = random.between(0, 5), c.blocks = unsigned(random.between(1, 2));
        const auto rows = 16 / (n * std::int64_t(size_bytes(type)));
        const bool many = random.one_in(3), apart = random.one_in(8);
        if (many) c.count = 4 * 32 * 8 * rows + random.between(1, 900), c.blocks = 1;
        if (apart) c.row += 1, c.plane += c.count;
        if (random.one_in(8)) c.shift = random.between(1, 3);
        if (random.one_in(8)) c.out_shift = 8;
        simt::device gpu;
        const std::vector<std::byte> x = special_elements(random, type, c.items());
        const bool takes = folds_of(c, x, gpu).packed;
        packed += takes;
        EXPECT_EQ(takes, c.shift == 0 && c.out_shift == 0 && !apart) << c.text();
        if (!check(c, x)) return;
      }
  EXPECT_GT(packed, 50);
}

TEST(cuda_row_folds, take_any_byte_but_zero_for_true) {
  std::uint64_t index = 0;
  for (const op op : selections) {
    random_source random = source_of(14, ++index);
    const std::int64_t lengths[] = {2, 8, 13, 48};
    const rows_case c = dense_rows(op, dtype::boolean, 61, lengths[random.below(4)]);
    std::vector<std::byte> x(std::size_t(c.items())), truths(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (random.one_in(3)) x[i] = std::byte(random.between(1, 255));
      truths[i] = std::byte(x[i] != std::byte(0));
    }
    EXPECT_EQ(run(c, x), expected(c, truths)) << c.text();
  }
}

}  // namespace
}  // namespace onefold::test
