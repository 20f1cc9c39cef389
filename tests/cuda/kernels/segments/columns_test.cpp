// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of columns under the executor: as the CPU's of the same elements, one
// column behind the other.

#include "cuda/loaders/column_parts.hpp"
#include "tests/cuda/kernels/segments/runs.hpp"
#include "tests/cuda/kernels/segments/selected_elements.hpp"

namespace onefold::test {
namespace {

// x[across][outer][n][inner] with gaps between rows, reduced over across and n.
struct columns_case {
  cuda::segments_request request;
  std::int64_t across = 1, outer = 1, n = 1, inner = 1;
  std::int64_t gap = 0;  // elements after each row
  std::int64_t across_parts = 1, parts = 1;
  unsigned blocks = 1, threads = 64;
  std::int64_t first_index = 0;

  std::int64_t items() const { return across * n; }
  std::int64_t elements() const { return items() * outer * inner; }
  std::size_t answers() const { return std::size_t(outer * inner); }
  std::size_t output_bytes() const {
    return answers() * std::size_t(answers_of(request.op)) * size_bytes(request.output);
  }
  cuda::column_parts lanes() const {
    cuda::column_parts made;
    const auto width = std::int64_t(size_bytes(request.input));
    const std::int64_t row = (inner + gap) * width;
    made.inner = inner, made.threads = threads;
    const cuda::shared_axis blocks(across, outer * n * row, n, across_parts);
    const cuda::shared_axis rows(n, row, 1, parts);
    made.loop_is_inner = across > n;
    made.loop = made.loop_is_inner ? rows : blocks, made.run = made.loop_is_inner ? blocks : rows;
    return made;
  }
  // Rows where inner is 1: what is neighbouring is along n.
  cuda::strided_request nest() const {
    cuda::strided_request made;
    made.input = request.input, made.x_kind = made.y_kind = cuda::kind_of(request.input);
    made.aligned = true, made.items = items(), made.outputs = outer * inner;
    const std::int64_t width = made.x_kind.bytes, row = (inner + gap) * width;
    made.axes.kept = 2, made.axes.all = 4;
    made.axes.axis[0] = {outer, n * row, 0, 0};
    made.axes.axis[1] = {inner, width, 0, 0};
    made.axes.axis[2] = {across, outer * n * row, 0, 0};
    made.axes.axis[3] = {n, row, 0, 0};
    return made;
  }
  std::string text() const {
    return std::string(name(request.op)) + " of " + std::string(name(request.input)) + ", x[" +
           std::to_string(across) + "][" + std::to_string(outer) + "][" + std::to_string(n) + "][" +
           std::to_string(inner) + "], gap " + std::to_string(gap) + ", " +
           std::to_string(across_parts) + " x " + std::to_string(parts) + " parts, blocks of " +
           std::to_string(threads) + ", seed " + std::to_string(seed());
  }
};

std::vector<std::byte> run(const columns_case& c, const std::vector<std::byte>& x) {
  simt::device gpu;
  cuda::segment_arguments fold = {};
  fold.request = c.request, fold.kind = cuda::kind_of(c.request.input);
  fold.block.out = gpu.memory().allocate<std::uint64_t>((c.output_bytes() + 7) / 8, "out");
  fold.block.first_index = c.first_index;
  const cuda::column_parts lanes = c.lanes();
  auto* const partials = gpu.memory().allocate<std::int64_t>(
      5 * c.answers() * std::size_t(lanes.written()), "partials");
  const std::size_t width = size_bytes(c.request.input), row = std::size_t(c.inner) * width;
  const std::size_t apart = row + std::size_t(c.gap) * width;
  std::vector<std::byte> spread(x.size() / row * apart);
  for (std::size_t r = 0; r < x.size() / row; ++r)
    std::memcpy(spread.data() + r * apart, x.data() + r * row, row);
  cuda::strided_request nest = c.nest();
  nest.x = gpu.memory().copy(std::span<const std::byte>(spread), "x");
  run_selected_columns(
      gpu, {.grid = {c.blocks}, .block = {c.threads}, .order = simt::schedule::shuffled}, fold,
      nest, lanes, partials);
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << c.text() << ": " << f.text();
  const auto* out = static_cast<const std::byte*>(fold.block.out);
  return {out, out + c.output_bytes()};
}

// Columns as segments.
std::vector<std::byte> expected(const columns_case& c, const std::vector<std::byte>& x) {
  const std::size_t width = size_bytes(c.request.input), n = std::size_t(c.n),
                    inner = std::size_t(c.inner), items = std::size_t(c.items());
  std::vector<std::byte> turned(x.size());
  offset_list offsets = {0};
  for (std::size_t k = 0; k < c.answers(); ++k) {
    for (std::size_t i = 0; i < items; ++i) {
      const std::size_t row = (i / n * std::size_t(c.outer) + k / inner) * n + i % n;
      std::memcpy(turned.data() + (k * items + i) * width,
                  x.data() + (row * inner + k % inner) * width, width);
    }
    offsets.push_back(std::int64_t((k + 1) * items));
  }
  auto right = cpu_answers(c.request, offsets, turned, c.first_index);
  if (c.request.op == op::argmin || c.request.op == op::argmax) count_in_rows(right, c.items());
  return right;
}

bool check(const columns_case& c, const std::vector<std::byte>& x) {
  const auto right = expected(c, x), got = run(c, x);
  EXPECT_EQ(got, right) << c.text();
  return got == right;
}

TEST(cuda_selected_columns, are_right_for_every_operator_type_and_shape) {
  std::uint64_t index = 0;
  for (const op op : selections)
    for (const dtype type : all_dtypes) {
      if (accumulator_of(op) == onefold::accumulator::bits && is_floating(type)) continue;
      random_source random = source_of(1, ++index);
      columns_case c;
      c.request = {op, accuracy::exact, nan_policy::propagate, type, default_output(op, type)};
      c.outer = random.one_in(2) ? 1 : random.between(1, 5), c.n = random.between(1, 300);
      c.inner = random.one_in(3) ? random.between(40, 90) : random.between(1, 9);
      c.gap = random.one_in(2) ? 0 : random.between(1, 5);
      c.parts = random.one_in(3) ? 1 : random.between(1, 80);
      c.blocks = unsigned(random.between(1, 3)), c.threads = random.one_in(2) ? 32 : 128;
      if (random.one_in(2)) c.parts = cuda::joined_parts(c.parts, c.inner, c.threads);
      if (random.one_in(2)) {
        c.across = random.between(1, 90), c.n = random.between(1, 9);
        c.across_parts = random.between(1, 9);
        if (random.one_in(2)) c.parts = 1, c.across_parts = random.one_in(2) ? 32 : 1;
      }
      c.first_index = random.between(0, 5);
      const bool omit = may_be_empty(op) && random.one_in(2);
      if (omit) c.request.nan = nan_policy::omit;
      if (!check(c, elements(random, type, c.elements(), true))) return;
    }
}

// Batches of rows with the same greatest element: zeros of both signs, NaNs in some, or nothing
// else.
TEST(cuda_selected_columns, have_the_first_position_where_batches_are_alike) {
  std::uint64_t index = 0;
  for (const op op : {op::argmin, op::argmax})
    for (const unsigned rarely : {1u, 9u, 2000u}) {
      random_source random = source_of(3, ++index);
      columns_case c;
      c.request = {op, accuracy::exact, nan_policy::propagate, dtype::f32, dtype::i64};
      c.outer = 2, c.n = 200, c.inner = 5, c.parts = random.between(1, 4);
      if (random.one_in(2)) c.across = 100, c.n = 2, c.across_parts = random.between(1, 4);
      std::vector<float> x(2000);
      for (float& value : x) {
        value = random.one_in(2) ? -0.0f : 0.0f;
        if (random.one_in(40)) value = random.one_in(2) ? -1.0f : 1.0f;
        if (random.one_in(rarely))
          value = detail::from_bits<float>(random.one_in(2) ? 0x7FC00000 : 0xFFC00000);
      }
      if (!check(c, bytes_of(x))) return;
    }
}

// More parts than rows: those without one add nothing.
TEST(cuda_selected_columns, may_have_parts_without_a_row) {
  for (const op op : {op::max, op::argmin, op::all, op::count}) {
    random_source random = source_of(2, std::uint64_t(op));
    columns_case c;
    c.request = {op, accuracy::exact, nan_policy::propagate, dtype::f32,
                 default_output(op, dtype::f32)};
    c.outer = 2, c.n = 5, c.inner = 3, c.parts = random.one_in(2) ? 40 : 64, c.threads = 64;
    if (!check(c, elements(random, dtype::f32, 30, false))) return;
  }
}

}  // namespace
}  // namespace onefold::test
