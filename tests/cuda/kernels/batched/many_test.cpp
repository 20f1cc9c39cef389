// SPDX-License-Identifier: Apache-2.0
// Rows and columns of floats under the executor: every answer rounded once, whatever the shape.

#include <cmath>
#include <cstring>

#include "cuda/kernels/batched/float_runs.hpp"
#include "onefold/exact.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"
#include "tests/simt/left_out_waits.hpp"

namespace onefold::test {
namespace {

template <class T>
class cuda_batched_sums : public testing::Test {
 public:
  static constexpr int offsets = int(16 / sizeof(T));
  static std::size_t normal() {
    for (std::size_t i = 0; i < families<T>().size(); ++i)
      if (families<T>()[i].name == "normal") return i;
    return 0;
  }
};

using all_types = testing::Types<double, float, bf16, f16>;
TYPED_TEST_SUITE(cuda_batched_sums, all_types);

TYPED_TEST(cuda_batched_sums, are_right_in_rows_of_every_length_and_offset) {
  for (int n = 0; n <= 70; ++n) {
    random_source random = source_of(1, std::uint64_t(n));
    const batched_case c = {.outer = random.between(1, 140),
                            .n = n,
                            .inner = 1,
                            .offset = n % 3 == 0 ? 0 : random.between(0, this->offsets - 1),
                            .which = random.one_in(2) ? kind::sum : kind::mean,
                            .output = any_output<TypeParam>(random),
                            .blocks = unsigned(random.between(1, 3))};
    if (!check<TypeParam>(reduced::total, c, fill<TypeParam>(random, c, this->normal()))) return;
  }
}

// Rows by registers and, of a few elements, by blocks: their groups are fixed.
TYPED_TEST(cuda_batched_sums, are_right_in_rows_of_vectors) {
  constexpr int items = int(16 / sizeof(TypeParam));
  std::vector<int> lengths = {2, 3, 4, 5, 6, 7};
  for (const int vectors : {1, 2, 4, 8, 16, 17, 40}) lengths.push_back(vectors * items);
  for (const int n : lengths) {
    random_source random = source_of(16, std::uint64_t(n));
    const bool own = random.one_in(2);
    const batched_case c = {.outer = random.between(1, 300),
                            .n = n,
                            .inner = 1,
                            .which = own || random.one_in(2) ? kind::sum : kind::mean,
                            .output = own ? dtype_of<TypeParam> : any_output<TypeParam>(random),
                            .blocks = unsigned(random.between(1, 3))};
    if (!check<TypeParam>(reduced::total, c, fill<TypeParam>(random, c, this->normal()))) return;
  }
}

TYPED_TEST(cuda_batched_sums, are_right_in_long_rows) {
  for (const int n : {127, 128, 255, 513, 1024, 2051}) {
    random_source random = source_of(2, std::uint64_t(n));
    const batched_case c = {.outer = 3,
                            .n = n,
                            .inner = 1,
                            .offset = random.between(0, this->offsets - 1),
                            .output = any_output<TypeParam>(random)};
    if (!check<TypeParam>(reduced::total, c, fill<TypeParam>(random, c, this->normal()))) return;
  }
}

TYPED_TEST(cuda_batched_sums, are_right_for_every_family_of_inputs) {
  for (std::size_t family = 0; family < families<TypeParam>().size(); ++family) {
    for (const bool columns : {false, true}) {
      random_source random = source_of(3, 2 * family + columns);
      const batched_case c = {.outer = columns ? 1 : random.between(1, 40),
                              .n = random.between(1, 60),
                              .inner = columns ? random.between(2, 40) : 1,
                              .offset = random.between(0, this->offsets - 1),
                              .which = random.one_in(2) ? kind::sum : kind::mean,
                              .output = any_output<TypeParam>(random)};
      if (!check<TypeParam>(reduced::total, c, fill<TypeParam>(random, c, family))) return;
    }
  }
}

TYPED_TEST(cuda_batched_sums, are_right_in_columns_of_every_shape) {
  for (int inner = 2; inner <= 40; ++inner) {
    random_source random = source_of(4, std::uint64_t(inner));
    const batched_case c = {.outer = random.one_in(2) ? 1 : random.between(1, 6),
                            .n = random.between(0, 50),
                            .inner = inner,
                            .offset = inner % 4 == 0 ? 0 : random.between(0, this->offsets - 1),
                            .which = random.one_in(2) ? kind::sum : kind::mean,
                            .output = any_output<TypeParam>(random),
                            .blocks = unsigned(random.between(1, 3))};
    if (!check<TypeParam>(reduced::total, c, fill<TypeParam>(random, c, this->normal()))) return;
  }
}

TYPED_TEST(cuda_batched_sums, are_right_in_columns_with_gaps_and_across_blocks) {
  constexpr int items = int(16 / sizeof(TypeParam));
  for (int k = 0; k < 30; ++k) {
    random_source random = source_of(17, std::uint64_t(k));
    const bool whole = random.one_in(2);  // vectors
    const std::int64_t inner = whole ? items * random.between(1, 9) : random.between(2, 40);
    const batched_case c = {
        .outer = random.between(1, 6),
        .n = random.between(1, 30),
        .inner = inner,
        .offset = whole ? 0 : random.between(0, this->offsets - 1),
        .which = random.one_in(2) ? kind::sum : kind::mean,
        .output = any_output<TypeParam>(random),
        .blocks = unsigned(random.between(1, 3)),
        .across = random.between(1, 7),
        .gap = whole ? items * random.between(0, 2) : random.between(0, 5),
        .apart = random.one_in(3) ? random.between(2, 5) : 1,
    };
    if (!check<TypeParam>(reduced::total, c, fill<TypeParam>(random, c, this->normal()))) return;
  }
}

// Long columns whose rows are no whole vectors: so many are read as one that they are.
TYPED_TEST(cuda_batched_sums, are_right_in_columns_whose_rows_are_read_as_one) {
  constexpr auto width = std::int64_t(sizeof(TypeParam));
  for (const int merged : {2, 4}) {
    if (merged == 4 && width == 8) continue;
    random_source random = source_of(15, std::uint64_t(merged));
    const std::int64_t odd = 2 * random.between(0, 1) + 1, least = 16 / merged / width;
    const batched_case c = {.outer = merged == 2 ? 2 : 1,
                            .n = merged * (4096 / width + random.between(0, 9)) + merged / 4,
                            .inner = least == 1 ? 3 : least * odd,
                            .output = any_output<TypeParam>(random),
                            .blocks = 2};
    cuda::batched_block block = {nullptr, c.outer, c.n, c.inner};
    block.places = cuda::contiguous_places(c.outer, c.n, c.inner);
    EXPECT_EQ(cuda::merged_rows(block, width), merged);
    if (!check<TypeParam>(reduced::total, c, fill<TypeParam>(random, c, this->normal()))) return;
  }
}

// The same row of several blocks: rows of up to four vectors a lane, and longer ones.
TYPED_TEST(cuda_batched_sums, are_right_in_rows_across_blocks) {
  constexpr int items = int(16 / sizeof(TypeParam));
  for (const int n : {1, 3, items, 5 * items, 7 * items + 1, 16 * items, 40 * items, 129 * items}) {
    random_source random = source_of(17, std::uint64_t(n));
    const std::size_t family = random.below(families<TypeParam>().size());
    const batched_case c = {.outer = n > 40 * items ? 2 : random.between(1, 40),
                            .n = n,
                            .inner = 1,
                            .offset = random.one_in(2) ? 0 : random.between(0, this->offsets - 1),
                            .which = random.one_in(2) ? kind::sum : kind::mean,
                            .output = any_output<TypeParam>(random),
                            .blocks = unsigned(random.between(1, 3)),
                            .across = random.between(2, 9)};
    if (!check<TypeParam>(reduced::total, c, fill<TypeParam>(random, c, family))) return;
  }
}

template <class T>
class cuda_batched_norms : public cuda_batched_sums<T> {};
using wide_types = testing::Types<double, float>;
TYPED_TEST_SUITE(cuda_batched_norms, wide_types);

TYPED_TEST(cuda_batched_norms, are_right_for_every_family_of_inputs) {
  for (const reduced kind : {reduced::magnitudes, reduced::squares})
    for (std::size_t family = 0; family < families<TypeParam>().size(); ++family) {
      random_source random = source_of(5 + std::uint64_t(kind), family);
      const bool columns = random.one_in(3);
      const batched_case c = {.outer = columns ? 1 : random.between(1, 20),
                              .n = random.between(1, 40),
                              .inner = columns ? random.between(2, 20) : 1,
                              .which = kind == reduced::squares && random.one_in(2) ? kind::root
                                                                                    : kind::sum,
                              .output = any_output<TypeParam>(random)};
      if (!check<TypeParam>(kind, c, fill<TypeParam>(random, c, family))) return;
    }
}

// How many answers in three parts are ambiguous. They have several blocks each where they are few,
// and share one where blocks are.
template <class T>
std::int64_t summed_again_in_parts(const char* name, bool columns, unsigned blocks,
                                   std::int64_t answers) {
  std::size_t family = 0;
  while (families<T>().at(family).name != name) ++family;
  random_source random = source_of(18, 64 * family + 32 * columns + blocks);
  const batched_case c = {.outer = columns ? 1 : answers,
                          .n = random.between(1700, 2500),
                          .inner = columns ? answers : 1,
                          .which = random.one_in(2) ? kind::sum : kind::mean,
                          .output = dtype_of<T>,
                          .blocks = blocks};
  const auto x = fill<T>(random, c, family);
  const batched_kernels kernels = batched_float_kernels(reduced::total, dtype_of<T>);
  batched_run<T> run(kernels, c, x);
  const std::int64_t part = (c.n + 2) / 3;
  const auto bytes = columns ? run.columns({unsigned(answers), 1, false, part, 3, 0, 1, 3})
                             : run.rows({8, 0, false, part, 3});
  for (std::size_t k = 0; k < c.answers(); ++k) {
    bits_of<T> bits;
    std::memcpy(&bits, bytes.data() + k * sizeof(T), sizeof(T));
    EXPECT_EQ(bits, expected<T>(reduced::total, c.which, elements_of(c, x, k)))
        << c.text() << ", of " << name << ", answer " << k;
  }
  return run.ambiguous();
}

// Sums of so many f16 are doubles, and of narrow types a NaN is decided.
TYPED_TEST(cuda_batched_sums, that_are_ambiguous_in_parts_have_one_or_more_blocks) {
  std::int64_t cancelling = 0, specials = 0;
  for (const bool columns : {false, true})
    for (const unsigned blocks : {1u, 2u, 5u, 9u})
      for (const std::int64_t answers : {2, 11}) {
        const auto summed_again = [&](const char* name) {
          return summed_again_in_parts<TypeParam>(name, columns, blocks, answers);
        };
        cancelling += summed_again("ill-conditioned");
        specials += summed_again("infinities and NaN");
      }
  EXPECT_EQ(cancelling > 0, (!std::is_same_v<TypeParam, f16>));
  EXPECT_EQ(specials > 0, sizeof(TypeParam) == 8);
}

// How many of 256 rows of 32 elements are ambiguous.
template <class T>
int ambiguous(const char* name) {
  for (std::size_t family = 0; family < families<T>().size(); ++family) {
    if (families<T>()[family].name != name) continue;
    random_source random = source_of(8, family);
    const batched_case c = {.outer = 256, .n = 32, .inner = 1, .output = dtype_of<T>};
    const batched_kernels kernels =
        batched_float_kernels(reduced::total, dtype_of<T>, batched_variant::marks);
    batched_run<T> run(kernels, c, fill<T>(random, c, family));
    const auto bytes = run.rows(cuda::shape_of_rows(run.block(), sizeof(T)));
    int count = 0;
    for (std::size_t k = 0; k < c.answers(); ++k) {
      bits_of<T> bits;
      std::memcpy(&bits, bytes.data() + k * sizeof(T), sizeof(T));
      count += bits == bits_of<T>(~bits_of<T>(0));
    }
    std::printf("  %s: %d of 256 rows of %s ambiguous\n", std::string(ieee<T>::name).c_str(), count,
                name);
    return count;
  }
  ADD_FAILURE() << "no family is called " << name;
  return -1;
}

TEST(cuda_batched_paths, of_ordinary_rows_are_certified_and_of_cancelling_ones_are_not) {
  for (const char* name : {"normal", "uniform", "integers"}) {
    EXPECT_EQ(ambiguous<float>(name), 0);
    EXPECT_EQ(ambiguous<double>(name), 0);
  }
  EXPECT_GT(ambiguous<float>("ill-conditioned"), 0);
  EXPECT_GT(ambiguous<double>("ill-conditioned"), 0);
}

// A tie of floats has 25 digits, and a sum of fewer than 2^28 elements whose mean it is has 53.
TEST(cuda_batched_paths, of_means_at_ties_are_quotients_without_division) {
  random_source random = source_of(10, 0);
  for (int i = 0; i < 10000; ++i) {
    const double n = double(1 + random.below((std::uint64_t(1) << random.between(1, 28)) - 1));
    const double mean = std::ldexp(double(random.below(1 << 25) | 1), random.between(-149, 100));
    const auto by = cuda::quotient_by(std::int64_t(n));
    ASSERT_EQ(cuda::mean_up(mean * n, n, by), mean) << "n " << n << ", seed " << seed();
    ASSERT_EQ(cuda::mean_up(-mean * n, n, by), -mean) << "n " << n << ", seed " << seed();
    const double sum = std::nextafter(mean * n, INFINITY);
    ASSERT_GE(std::fma(cuda::mean_up(sum, n, by), n, -sum), 0) << "n " << n << ", seed " << seed();
  }
}

// Of intervals whose ends are rounded to nearest, both are the same wrong number.
TEST(cuda_batched_mutation, of_intervals_rounded_to_nearest_is_caught) {
  int wrong = 0;
  for (std::size_t family = 0; family < families<float>().size(); ++family) {
    random_source random = source_of(9, family);
    const batched_case c = {.outer = 64, .n = 40, .inner = 1};
    const auto x = fill<float>(random, c, family);
    const batched_kernels kernels =
        batched_float_kernels(reduced::total, dtype::f32, batched_variant::nearest);
    batched_run<float> run(kernels, c, x);
    const auto bytes = run.rows(cuda::shape_of_rows(run.block(), sizeof(float)));
    for (std::size_t k = 0; k < c.answers(); ++k) {
      std::uint32_t bits;
      std::memcpy(&bits, bytes.data() + k * 4, 4);
      wrong += bits != expected<float>(reduced::total, kind::sum, elements_of(c, x, k));
    }
  }
  EXPECT_GT(wrong, 0);
}

// --- waits -----------------------------------------------------------------------

using simt::wait_kind;

// Of rows of n elements, in a shape that goes by way of rings of copies.
template <class ShapeOf>
void expect_waits_count(const batched_case& c, const ShapeOf& shape_of) {
  random_source random = source_of(10, std::uint64_t(c.n));
  const auto x = fill<float>(random, c, cuda_batched_sums<float>::normal());
  const batched_kernels kernels = batched_float_kernels(reduced::total, dtype::f32);
  const auto kinds =
      simt::test::expect_every_wait_counts("src/cuda/kernels/batched/rows/ring.cuh", [&] {
        batched_run<float> run(kernels, c, x);
        run.rows(shape_of(run.block()));
      });
  EXPECT_EQ(kinds, (std::set{wait_kind::commit, wait_kind::copy_wait, wait_kind::warp_barrier}));
}

TEST(cuda_batched_rings, need_every_wait) {
  const auto staged = [](const auto& block) { return cuda::shape_of_staged_rows(block, 4); };
  expect_waits_count({.outer = 300, .n = 33, .inner = 1}, staged);
  expect_waits_count({.outer = 4096, .n = 3, .inner = 1}, staged);  // in blocks
  expect_waits_count({.outer = 60, .n = 700, .inner = 1}, [](const auto& block) {
    return cuda::shape_of_tiled_rows(block, 4, block.n, 1);
  });
}

}  // namespace
}  // namespace onefold::test
