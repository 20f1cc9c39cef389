// SPDX-License-Identifier: Apache-2.0
// Rows and columns of integers under the executor: sums in 64 bits, means and sums in f64.

#include <cstring>
#include <limits>

#include "cuda/kernels/batched/runs.hpp"
#include "onefold/exact.hpp"

namespace onefold::test {
namespace {

template <class T>
class cuda_batched_integers : public testing::Test {
 public:
  static std::vector<T> elements(random_source& random, std::size_t n) {
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    const std::uint64_t ends = random.below(4);
    std::vector<T> x(n);
    for (T& element : x) {
      element = T(random());
      if (ends == 1) element = least;
      if (ends == 2) element = most;
      if (ends == 3) element = T(random.between(-3, 3));
    }
    return x;
  }

  static std::uint64_t expected(const batched_case& c, const std::vector<T>& x, std::size_t k) {
    const std::size_t inner = std::size_t(c.inner), n = std::size_t(c.n);
    detail::integer_sum sum;
    for (std::size_t b = 0; b < std::size_t(c.across); ++b)
      for (std::size_t i = 0; i < n; ++i)
        sum.add(x[((b * c.answers() + k) / inner * n + i) * inner + k % inner]);
    if (c.output != dtype::f64) return std::uint64_t(sum.value<std::int64_t>());
    return detail::to_bits(c.which == kind::mean ? sum.mean<double>() : sum.value<double>());
  }

  static bool check(const batched_case& c, const std::vector<T>& x) {
    const batched_kernels kernels = batched_integer_kernels(dtype_of<T>);
    batched_run<T> run(kernels, c, x);
    const auto compare = [&](const std::vector<std::byte>& bytes, int shape) {
      for (std::size_t k = 0; k < c.answers(); ++k) {
        std::uint64_t got;
        std::memcpy(&got, bytes.data() + 8 * k, 8);
        EXPECT_EQ(got, expected(c, x, k)) << c.text() << ", shape " << shape << ", answer " << k;
        if (got != expected(c, x, k)) return false;
      }
      return true;
    };
    int shape = 0;
    if (c.inner == 1)
      for (const cuda::rows_shape& each : all_rows_shapes(run.block(), sizeof(T), false))
        if (!compare(run.rows(each), shape++)) return false;
    if (c.inner > 1)
      for (const cuda::columns_shape& each : all_columns_shapes(run.block(), sizeof(T)))
        if (!compare(run.columns(each), shape++)) return false;
    return !testing::Test::HasFailure();
  }

  static batched_case any_case(random_source& random) {
    batched_case c = {.outer = random.between(1, 50),
                      .n = random.between(0, 90),
                      .inner = 1,
                      .offset = random.one_in(2) ? 0 : random.between(0, int(16 / sizeof(T)) - 1),
                      .which = random.one_in(2) ? kind::sum : kind::mean,
                      .output = dtype::f64};
    if (c.which == kind::sum && random.one_in(2)) c.output = dtype::i64;
    return c;
  }
};

using all_types = testing::Types<std::int8_t, std::int16_t, std::int64_t, std::uint8_t,
                                 std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_batched_integers, all_types);

TYPED_TEST(cuda_batched_integers, are_right_in_rows) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    random_source random = source_of(1, i);
    const batched_case c = this->any_case(random);
    if (!this->check(c, this->elements(random, c.elements()))) return;
  }
}

TYPED_TEST(cuda_batched_integers, are_right_in_rows_across_blocks) {
  for (std::uint64_t i = 0; i < 12; ++i) {
    random_source random = source_of(9, i);
    batched_case c = this->any_case(random);
    c.n = std::max<std::int64_t>(c.n, 1), c.across = random.between(2, 7);
    if (!this->check(c, this->elements(random, c.elements()))) return;
  }
}

// Lengths of which a vector holds several rows, and rows of whole vectors.
TYPED_TEST(cuda_batched_integers, are_right_in_rows_of_vectors) {
  constexpr std::int64_t items = 16 / sizeof(TypeParam);
  for (const std::int64_t n :
       {std::int64_t(2), std::int64_t(4), std::int64_t(8), 16 * items, 40 * items}) {
    random_source random = source_of(7, std::uint64_t(n));
    batched_case c = this->any_case(random);
    c.outer = random.between(1, 1200 / n + 20), c.n = n, c.offset = 0;
    c.blocks = unsigned(random.between(1, 3));
    if (!this->check(c, this->elements(random, c.elements()))) return;
  }
}

TYPED_TEST(cuda_batched_integers, are_right_in_columns) {
  for (std::uint64_t i = 0; i < 30; ++i) {
    random_source random = source_of(2, i);
    batched_case c = this->any_case(random);
    c.inner = i % 3 == 0 ? 16 * random.between(1, 4) : random.between(2, 50);
    c.outer = random.one_in(2) ? 1 : random.between(1, 4);
    if (!this->check(c, this->elements(random, c.elements()))) return;
  }
}

// More rows of the largest magnitude than the halves of a word hold, and rows that are read as one.
TYPED_TEST(cuda_batched_integers, are_right_in_long_columns) {
  constexpr auto width = std::int64_t(sizeof(TypeParam));
  for (const std::int64_t n : {255, 256, 257, 513, 1100}) {
    random_source random = source_of(5, std::uint64_t(n));
    batched_case c = this->any_case(random);
    c.n = n, c.inner = 16 / width * random.between(1, 2), c.outer = 1, c.offset = 0;
    for (const auto edge :
         {std::numeric_limits<TypeParam>::min(), std::numeric_limits<TypeParam>::max()})
      if (!this->check(c, std::vector<TypeParam>(c.elements(), edge))) return;
  }
  random_source random = source_of(6, 0);
  batched_case c = this->any_case(random);
  c.outer = 1, c.offset = 0, c.inner = width == 8 ? 3 : 8 / width;
  c.n = 2 * 4096 / width + 1;
  if (c.inner > 1) this->check(c, this->elements(random, c.elements()));
}

// Any byte but 0 is 1.
TEST(cuda_batched_booleans, may_be_any_bytes) {
  using bytes = cuda_batched_integers<std::uint8_t>;
  const batched_kernels kernels = batched_integer_kernels(dtype::boolean);
  for (std::uint64_t i = 0; i < 30; ++i) {
    random_source random = source_of(3, i);
    batched_case c = bytes::any_case(random);
    if (i % 2 == 0) c.inner = random.between(2, 50);
    std::vector<std::uint8_t> x(c.elements()), truths = x;
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = std::uint8_t(random.one_in(3) ? 0 : random.below(256));
      truths[k] = x[k] != 0;
    }
    batched_run<std::uint8_t> run(kernels, c, x);
    const auto answers = c.inner == 1 ? run.rows(cuda::shape_of_rows(run.block(), 1, false))
                                      : run.columns(cuda::shape_of_columns(run.block(), 1));
    for (std::size_t k = 0; k < c.answers(); ++k) {
      std::uint64_t got;
      std::memcpy(&got, answers.data() + 8 * k, 8);
      ASSERT_EQ(got, bytes::expected(c, truths, k)) << c.text() << ", answer " << k;
    }
  }
}

}  // namespace
}  // namespace onefold::test
