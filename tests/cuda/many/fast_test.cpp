// SPDX-License-Identifier: Apache-2.0
// Fast sums of rows and columns under the executor: the bits of the CPU's engine, at every length,
// offset and way of sharing a row.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "cuda/many/fast/shape.hpp"
#include "cuda/many/fast_kernels.hpp"
#include "onefold/onefold.hpp"
#include "simt/device.hpp"
#include "support/column_model.hpp"
#include "support/elements.hpp"
#include "tests/simt/left_out_waits.hpp"

namespace onefold::test {
namespace {

constexpr op operators[] = {op::sum, op::mean, op::norm1, op::sumsq, op::norm2};
constexpr dtype outputs[] = {dtype::f64, dtype::f32, dtype::f16, dtype::bf16};

struct rows_case {
  std::int64_t outer, n;
  int offset = 0;
  op what = op::sum;
  dtype output = dtype::f64;
  unsigned blocks = 1;

  std::string text() const {
    return std::string(name(what)) + " of x[" + std::to_string(outer) + "][" + std::to_string(n) +
           "], offset " + std::to_string(offset) + ", to " + std::string(name(output)) +
           ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
  }
};

// Numbers of a few binades; now and then zeros of both signs, subnormals, infinities and NaNs.
template <class T>
std::vector<T> elements(random_source& random, std::size_t n) {
  using format = ieee<T>;
  const bool special = random.one_in(4);
  std::vector<T> x(n);
  for (T& each : x) {
    each = any_of_exponent<T>(random, random.between(-4, 4));
    if (special && random.one_in(3)) each = random.one_in(2) ? T(-0.0) : T(0);
    if (special && random.one_in(40)) each = as_float<T>(bits_of<T>(random()));
    if (special && random.one_in(90)) each = as_float<T>(bits_of<T>(format::nan));
  }
  return x;
}

template <class T>
std::vector<std::byte> expected(const rows_case& c, const std::vector<T>& x) {
  const auto width = std::int64_t(size_bytes(c.output));
  std::vector<std::byte> made(std::size_t(c.outer * width));
  options how;
  how.accuracy = accuracy::fast;
  how.axes = {1};
  const array_view rows(x.data(), dtype_of<T>,
                        {{c.outer, c.n * std::int64_t(sizeof(T))}, {c.n, std::int64_t(sizeof(T))}});
  const auto done = reduce(executor::cpu{1}, c.what, {rows},
                           output_view(made.data(), c.output, {{c.outer, width}}), how);
  EXPECT_TRUE(done.ok()) << done.message();
  return made;
}

template <class T>
std::vector<std::byte> run(const rows_case& c, const std::vector<T>& x,
                           const cuda::fast_rows_shape* forced) {
  simt::device gpu;
  std::vector<T> padded(x.size() + std::size_t(c.offset));
  std::copy(x.begin(), x.end(), padded.begin() + c.offset);
  const T* const there = gpu.memory().copy(std::span<const T>(padded), "x") + c.offset;
  const std::size_t bytes = std::size_t(c.outer) * size_bytes(c.output);
  auto* const out = gpu.memory().allocate<std::uint64_t>((bytes + 7) / 8, "out");
  const cuda::many_block block = {there, c.outer, c.n, 1, out};
  cuda::fast_rows_shape shape = cuda::shape_of_fast_rows(block, sizeof(T));
  if (forced != nullptr)
    shape.group = forced->group, shape.vectors = forced->vectors, shape.rows = forced->rows,
    shape.tile = forced->tile;
  using kind = cuda::answer_form::kind;
  const kind form = c.what == op::mean ? kind::mean : c.what == op::norm2 ? kind::root : kind::sum;
  auto* const partials = gpu.memory().allocate<std::int64_t>(
      std::size_t(cuda::fast_parts_words(c.outer, shape.parts)), "partials");
  const cuda::fast_rows_arguments a = {{there,
                                        out,
                                        partials,
                                        c.outer,
                                        c.n,
                                        1,
                                        tuning::chunk_items,
                                        shape.parts,
                                        {form, c.output, c.n}},
                                       accumulator_of(c.what),
                                       shape.group,
                                       shape.vectors,
                                       shape.aligned,
                                       shape.rows,
                                       shape.tile};
  const auto kernel = fast_rows_kernel_of(dtype_of<T>);
  const simt::launch_config config = {
      .grid = {c.blocks}, .block = {64}, .order = simt::schedule::shuffled};
  const auto report = [&] {
    for (const simt::finding& f : gpu.report()) ADD_FAILURE() << c.text() << ": " << f.text();
  };
  kernel(gpu, config, a), report();
  if (shape.parts > 1) fast_parts_kernel_of(dtype_of<T>)(gpu, config, a.of), report();
  const auto* const at = reinterpret_cast<const std::byte*>(out);
  return {at, at + bytes};
}

template <class T>
bool check(const rows_case& c, random_source& random) {
  const auto x = elements<T>(random, std::size_t(c.outer * c.n));
  const auto wanted = expected(c, x);
  EXPECT_EQ(run(c, x, nullptr), wanted) << c.text();
  const cuda::fast_rows_shape by_tiles = {cuda::slot_lanes<T>, 0, false, 0, 1};
  EXPECT_EQ(run(c, x, &by_tiles), wanted) << c.text() << ", by tiles";
  const cuda::many_block plain = {nullptr, c.outer, c.n, 1, nullptr};
  const auto held = cuda::shape_of_held_rows(plain, sizeof(T), false);
  EXPECT_EQ(run(c, x, &held), wanted) << c.text() << ", by registers";
  return !testing::Test::HasFailure();
}

template <class T>
class ManyFast : public testing::Test {
 public:
  static rows_case any_case(random_source& random, std::int64_t outer, std::int64_t n) {
    return {outer,
            n,
            random.one_in(2) ? 0 : random.between(0, int(16 / sizeof(T)) - 1),
            operators[random.below(5)],
            outputs[random.below(4)],
            unsigned(random.between(1, 3))};
  }
};
using wide_types = testing::Types<float, double>;
TYPED_TEST_SUITE(ManyFast, wide_types);

TYPED_TEST(ManyFast, RowsOfEveryShortLength) {
  for (std::int64_t n = 1; n <= 140; ++n) {
    random_source random = source_of(360, std::uint64_t(n));
    if (!check<TypeParam>(this->any_case(random, random.between(1, 40), n), random)) return;
  }
}

TYPED_TEST(ManyFast, RowsAboutTheEdgesOfTiles) {
  std::uint64_t index = 0;
  for (const std::int64_t edge : {256, 512, 1024, 4096})
    for (std::int64_t n = edge - 5; n <= edge + 5; ++n) {
      random_source random = source_of(361, ++index);
      if (!check<TypeParam>(this->any_case(random, random.between(1, 5), n), random)) return;
    }
}

TYPED_TEST(ManyFast, RowsOfSeveralChunks) {
  std::uint64_t index = 0;
  for (const std::int64_t n : {65535, 65536, 65537, 200'000}) {
    random_source random = source_of(362, ++index);
    auto c = this->any_case(random, 2, n);
    if (!check<TypeParam>(c, random)) return;
  }
}

TYPED_TEST(ManyFast, RowsOfEveryOperatorAndType) {
  std::uint64_t index = 0;
  for (const op what : operators)
    for (const dtype output : outputs)
      for (int offset = 0; offset < int(16 / sizeof(TypeParam)); ++offset) {
        random_source random = source_of(363, ++index);
        const rows_case c = {7, random.between(60, 300), offset, what, output, 2};
        if (!check<TypeParam>(c, random)) return;
      }
}

// The way of a kernel that has `times` as many outer indices, or of narrow columns by warps.
enum class narrow_way { any, by_warps };
template <class T>
bool check_columns(const rows_case& c, std::int64_t inner, random_source& random,
                   std::int64_t times = 1, narrow_way way = narrow_way::any) {
  const auto x = elements<T>(random, std::size_t(c.outer * c.n * inner));
  const std::int64_t extents[] = {c.outer, c.n, inner}, left[] = {c.outer, inner};
  const auto width = std::int64_t(size_bytes(c.output));
  std::vector<std::byte> wanted(std::size_t(c.outer * inner * width));
  options how;
  how.accuracy = accuracy::fast;
  how.axes = {1};
  const array_view all(x.data(), dtype_of<T>, row_major(extents, std::int64_t(sizeof(T))));
  const output_view to(wanted.data(), c.output, row_major(left, width));
  EXPECT_TRUE(reduce(executor::cpu{1}, c.what, {all}, to, how).ok());
  simt::device gpu;
  std::vector<T> padded(x.size() + std::size_t(c.offset));
  std::copy(x.begin(), x.end(), padded.begin() + c.offset);
  const T* const there = gpu.memory().copy(std::span<const T>(padded), "x") + c.offset;
  auto* const out = gpu.memory().allocate<std::uint64_t>((wanted.size() + 7) / 8, "out");
  auto [shape, narrow, banded] =
      cuda::shape_of_fast_columns({there, c.outer * times, c.n, inner, out}, sizeof(T));
  if (way == narrow_way::by_warps) banded = {};
  using kind = cuda::answer_form::kind;
  const kind form = c.what == op::mean ? kind::mean : c.what == op::norm2 ? kind::root : kind::sum;
  auto* const partials = gpu.memory().allocate<std::int64_t>(
      std::size_t(cuda::fast_parts_words(c.outer * inner, shape.parts)), "partials");
  const cuda::fast_columns_arguments a = {
      {{there, out, partials, c.outer, c.n, inner, shape.part, shape.parts, {form, c.output, c.n}},
       shape.across,
       shape.down,
       shape.aligned},
      narrow,
      banded};
  const simt::launch_config config = {
      .grid = {c.blocks}, .block = {shape.across}, .order = simt::schedule::shuffled};
  const auto report = [&] {
    for (const simt::finding& f : gpu.report()) ADD_FAILURE() << c.text() << ": " << f.text();
  };
  fast_columns_kernel_of(dtype_of<T>)(gpu, config, a, accumulator_of(c.what)), report();
  if (shape.parts > 1) fast_parts_kernel_of(dtype_of<T>)(gpu, config, a.by.of), report();
  EXPECT_EQ(std::memcmp(out, wanted.data(), wanted.size()), 0) << c.text() << ", " << inner;
  return !testing::Test::HasFailure();
}

TYPED_TEST(ManyFast, Columns) {
  for (std::int64_t n = 2; n <= 70; ++n) {
    random_source random = source_of(364, std::uint64_t(n));
    const std::int64_t inner = random.one_in(2) ? 4 * random.between(1, 40) : random.between(2, 90);
    const auto c = this->any_case(random, random.between(1, 3), n);
    if (!check_columns<TypeParam>(c, inner, random)) return;
  }
}

TYPED_TEST(ManyFast, ColumnsOfSeveralBands) {
  std::uint64_t index = 0;
  for (const std::int64_t n : {1023, 1024, 1025, 2048, 3000, 5120, 9001, 20'000}) {
    random_source random = source_of(365, ++index);
    const std::int64_t inner = random.one_in(2) ? 4 : random.between(2, 7);
    if (!check_columns<TypeParam>(this->any_case(random, random.between(1, 2), n), inner, random))
      return;
  }
}

// By way of shared memory: every number of columns that is narrow enough, and some beyond.
TYPED_TEST(ManyFast, NarrowColumns) {
  for (std::int64_t inner = 2; inner <= 66; ++inner) {
    random_source random = source_of(367, std::uint64_t(inner));
    const std::int64_t n = random.between(256, inner < 20 ? 3000 : 1300);
    auto c = this->any_case(random, random.between(1, 2), n);
    if (!random.one_in(4)) c.offset = 0;
    if (!check_columns<TypeParam>(c, inner, random)) return;
    if (!check_columns<TypeParam>(c, inner, random, 1, narrow_way::by_warps)) return;
  }
}

// Several outer indices a stage, the last of them alone.
TYPED_TEST(ManyFast, NarrowColumnsOfFewRows) {
  std::uint64_t index = 0;
  for (const std::int64_t inner : {2, 3, 4})
    for (const std::int64_t n : {256, 320, 512}) {
      random_source random = source_of(368, ++index);
      auto c = this->any_case(random, random.between(2, 9), n);
      c.offset = 0;
      if (!check_columns<TypeParam>(c, inner, random, cuda::busy_blocks)) return;
    }
}

// The tree of any number of parts, by lanes that share an answer in every way.
TYPED_TEST(ManyFast, PartsOfAnyNumber) {
  for (std::int64_t parts = 2; parts <= 4200; parts += parts < 40 ? 1 : parts / 9) {
    random_source random = source_of(366, std::uint64_t(parts));
    const std::int64_t answers = random.between(1, 5);
    simt::device gpu;
    std::vector<std::int64_t> words;
    auto* const out = gpu.memory().allocate<double>(std::size_t(answers), "out");
    std::vector<double> wanted;
    for (std::int64_t k = 0; k < answers; ++k) {
      std::vector<TypeParam> bands(static_cast<std::size_t>(parts));
      for (auto& each : bands) each = any_of_exponent<TypeParam>(random, random.between(-4, 4));
      for (const auto each : bands) words.push_back(std::bit_cast<std::int64_t>(double(each)));
      wanted.push_back(double(column_tree(bands, 0, bands.size())));
    }
    words.resize(std::size_t(cuda::fast_parts_words(answers, parts)));
    auto* const partials = gpu.memory().copy(std::span<const std::int64_t>(words), "partials");
    const cuda::answer_form form = {cuda::answer_form::kind::sum, dtype::f64, 1};
    const cuda::many_arguments of = {nullptr, out, partials, answers, 0, 1, 0, parts, form};
    fast_parts_kernel_of(dtype_of<TypeParam>)(gpu, {.grid = {2}, .order = simt::schedule::shuffled},
                                              of);
    for (const simt::finding& f : gpu.report()) ADD_FAILURE() << parts << ": " << f.text();
    EXPECT_EQ(std::memcmp(out, wanted.data(), wanted.size() * sizeof(double)), 0)
        << parts << " parts of " << answers << ", ONEFOLD_TEST_SEED=" << seed();
  }
}

// --- waits -----------------------------------------------------------------------

using simt::wait_kind;

TEST(ManyFastRings, NeedEveryWait) {
  const rows_case c = {1, 2500};
  const auto columns = [&](narrow_way way) {
    random_source random = source_of(369, 0);
    check_columns<float>(c, 8, random, 1, way);
  };
  EXPECT_EQ(simt::test::expect_every_wait_counts("src/cuda/many/fast/banded.cuh",
                                                 [&] { columns(narrow_way::any); }),
            (std::set{wait_kind::commit, wait_kind::copy_wait, wait_kind::block_barrier}));
  EXPECT_EQ(simt::test::expect_every_wait_counts("src/cuda/many/fast/narrow.cuh",
                                                 [&] { columns(narrow_way::by_warps); }),
            (std::set{wait_kind::commit, wait_kind::copy_wait, wait_kind::warp_barrier}));
}

}  // namespace
}  // namespace onefold::test
