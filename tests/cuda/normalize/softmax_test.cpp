// SPDX-License-Identifier: Apache-2.0
// The kernels of softmax and log_softmax under the executor give the bits of the definition, of any
// rows: of every family of elements, length and alignment; no other byte is read or written.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "cuda/normalize/kernels.hpp"
#include "cuda/normalize/rows.hpp"
#include "support/families.hpp"
#include "support/softmax_model.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::source_of;

template <class T>
void expect_rows(const layout& of, std::optional<row_way> way, const std::vector<T>& x,
                 random_source& random) {
  for (const bool logarithm : {false, true}) {
    device_rows<T> rows(of, x);
    const softmax_launch launch =
        softmax_launch_of({rows.x(), rows.y(), of.rows, of.n, of.stride(), dtype_of<T>, logarithm});
    EXPECT_EQ(launch.way, way.value_or(launch.way)) << text_of(of);
    launch_softmax(rows.gpu(), launch,
                   random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse);
    rows.expect_rows(launch.way, [&](const T* from, T* to) {
      onefold::test::softmax_row(from, of.n, logarithm, to);
    });
  }
}

template <class T>
std::vector<T> normal(random_source& random, std::int64_t n) {
  const double scales[] = {0.1, 2, 10, 40}, scale = scales[random.below(4)];
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i)
    x.push_back(onefold::test::chopped<T>(scale * random.normal()));
  return x;
}

template <class T>
class cuda_softmax : public testing::Test {};
using element_types = testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(cuda_softmax, element_types);

// Lengths around those that change the number of lanes, on aligned memory.
TYPED_TEST(cuda_softmax, rows_of_whole_vectors_are_held) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {1, 3, 4, 5, 8, 17, 64, 127, 128, 129, 250, 257, 2048}) {
    random_source random = source_of(950, std::uint64_t(vectors));
    const std::int64_t rows = vectors < 128 ? random.between(1, 300 / vectors + 3) : 2;
    const layout of = {rows, vectors * items, random.one_in(2) ? items : 0};
    expect_rows<T>(of, row_way::held, normal<T>(random, rows * of.n), random);
  }
}

TYPED_TEST(cuda_softmax, longer_rows_are_read_again) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {2049, 3000}) {
    random_source random = source_of(951, std::uint64_t(vectors));
    const layout of = {2, vectors * items};
    expect_rows<T>(of, row_way::streamed, normal<T>(random, 2 * of.n), random);
  }
}

TYPED_TEST(cuda_softmax, rows_of_any_length_and_address) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 3, 5, 7, 31, 33, 127, 1000, 1023, 1025, 4999}) {
    random_source random = source_of(952, std::uint64_t(n));
    const std::int64_t rows = n < 100 ? 37 : 2;
    const layout of = {rows, n, std::int64_t(random.below(3)), 1 + int(random.below(3)),
                       int(random.below(4))};
    expect_rows<T>(of, {}, normal<T>(random, rows * n), random);
  }
}

TYPED_TEST(cuda_softmax, elements_of_every_family) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : onefold::test::families<T>())
    for (const std::int64_t n : {64, 200, 1024, 2049}) {
      random_source random = source_of(953, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? 3 : 1;
      std::vector<T> x(std::size_t(rows * n));
      for (std::int64_t row = 0; row < rows; ++row)
        family.fill(random, x.data() + row * n, std::size_t(n));
      expect_rows<T>({rows, n}, {}, x, random);
    }
}

// All numerators are 1: the largest sum that lanes and rows hold.
TYPED_TEST(cuda_softmax, equal_elements) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {4, 128, 2048, 2050}) {
    random_source random = source_of(954, std::uint64_t(vectors));
    const std::int64_t n = vectors * items;
    expect_rows<T>({1, n}, {}, std::vector<T>(std::size_t(n), onefold::test::chopped<T>(-7)),
                   random);
  }
}

TYPED_TEST(cuda_softmax, what_is_not_finite_and_zeros) {
  using T = TypeParam;
  using format = onefold::test::ieee<T>;
  const auto special = [](auto bits) {
    return onefold::test::as_float<T>(onefold::test::bits_of<T>(bits));
  };
  for (const std::int64_t n : {8, 24, 1024, 1025}) {
    random_source random = source_of(955, std::uint64_t(n));
    auto x = normal<T>(random, 7 * n);
    const auto put = [&](std::int64_t row, T value) {
      x[std::size_t(row * n + std::int64_t(random.below(std::uint64_t(n))))] = value;
    };
    put(0, special(format::infinity)), put(1, special(format::infinity | format::sign));
    put(2, special(format::nan | format::sign | 1)), put(3, special(format::nan));
    put(3, special(format::infinity));
    for (std::int64_t i = 0; i < n; ++i) {
      x[std::size_t(4 * n + i)] = special(random.one_in(2) ? format::sign : 0);
      x[std::size_t(5 * n + i)] = special(format::infinity | format::sign);
    }
    expect_rows<T>({7, n}, {}, x, random);
  }
}

}  // namespace
}  // namespace onefold::cuda::test
