// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of columns under the executor: as the CPU's of the same elements, one
// column behind the other.

#include "cuda/loaders/column_parts.hpp"
#include "tests/cuda/kernels/segments/runs.hpp"
#include "tests/cuda/kernels/segments/selected_elements.hpp"

namespace onefold::test {
namespace {

struct columns_case {
  cuda::segments_request request;
  column_extents extents;
  unsigned blocks = 1, threads = 64;
  std::int64_t first_index = 0;

  std::size_t answers() const { return std::size_t(extents.outer * extents.inner); }
  std::size_t output_bytes() const {
    return answers() * std::size_t(answers_of(request.op)) * size_bytes(request.output);
  }
  std::string text() const {
    return std::string(name(request.op)) + " of " + std::string(name(request.input)) + ", x[" +
           std::to_string(extents.outer) + "][" + std::to_string(extents.n) + "][" +
           std::to_string(extents.inner) + "], " + std::to_string(extents.parts) + " parts, seed " +
           std::to_string(seed());
  }
};

std::vector<std::byte> run(const columns_case& c, const std::vector<std::byte>& x) {
  simt::device gpu;
  cuda::segment_arguments fold = {};
  fold.request = c.request, fold.kind = cuda::kind_of(c.request.input);
  fold.block.out = gpu.memory().allocate<std::uint64_t>((c.output_bytes() + 7) / 8, "out");
  fold.block.first_index = c.first_index;
  auto* const partials = gpu.memory().allocate<std::int64_t>(
      5 * c.answers() * std::size_t(c.extents.parts), "partials");
  run_selected_columns(
      gpu, {.grid = {c.blocks}, .block = {c.threads}, .order = simt::schedule::shuffled}, fold,
      c.extents, gpu.memory().copy(std::span<const std::byte>(x), "x"), partials);
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << c.text() << ": " << f.text();
  const auto* out = static_cast<const std::byte*>(fold.block.out);
  return {out, out + c.output_bytes()};
}

// Columns as segments.
std::vector<std::byte> expected(const columns_case& c, const std::vector<std::byte>& x) {
  const std::size_t width = size_bytes(c.request.input), n = std::size_t(c.extents.n),
                    inner = std::size_t(c.extents.inner);
  std::vector<std::byte> turned(x.size());
  offset_list offsets = {0};
  for (std::size_t k = 0; k < c.answers(); ++k) {
    for (std::size_t r = 0; r < n; ++r)
      std::memcpy(turned.data() + (k * n + r) * width,
                  x.data() + ((k / inner * n + r) * inner + k % inner) * width, width);
    offsets.push_back(std::int64_t(k + 1) * c.extents.n);
  }
  auto right = cpu_answers(c.request, offsets, turned, c.first_index);
  if (c.request.op == op::argmin || c.request.op == op::argmax) count_in_rows(right, c.extents.n);
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
      c.extents = {random.one_in(2) ? 1 : random.between(1, 5), random.between(1, 300),
                   random.one_in(3) ? random.between(40, 90) : random.between(1, 9), 1};
      c.extents.parts = random.one_in(3) ? 1 : random.between(1, 80);
      c.blocks = unsigned(random.between(1, 3)), c.threads = random.one_in(2) ? 32 : 128;
      if (random.one_in(2))
        c.extents.parts = cuda::joined_parts(c.extents.parts, c.extents.inner, c.threads);
      c.first_index = random.between(0, 5);
      const bool omit = may_be_empty(op) && random.one_in(2);
      if (omit) c.request.nan = nan_policy::omit;
      const std::int64_t n = c.extents.outer * c.extents.n * c.extents.inner;
      if (!check(c, elements(random, type, n, true))) return;
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
      c.extents = {2, 200, 5, random.between(1, 4)};
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
    c.extents = {2, 5, 3, random.one_in(2) ? 40 : 64}, c.threads = 64;
    if (!check(c, elements(random, dtype::f32, 30, false))) return;
  }
}

}  // namespace
}  // namespace onefold::test
