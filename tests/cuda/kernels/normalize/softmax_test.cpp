// SPDX-License-Identifier: Apache-2.0
// The kernels of softmax and log_softmax under the executor give the bits of the definition, of any
// rows: of every family of elements, length and alignment; no other byte is read or written.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "cuda/kernels/normalize/kernels.hpp"
#include "cuda/kernels/normalize/rows.hpp"
#include "onefold/state.hpp"
#include "support/families.hpp"
#include "support/softmax_model.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::source_of;

template <class T>
void expect_rows(const layout& layout, std::optional<softmax_way> way, const std::vector<T>& x,
                 random_source& random, bool clusters = true) {
  for (const bool logarithm : {false, true}) {
    device_rows<T> rows(layout, x);
    // A block takes several rows, or several times rows.
    const softmax_launch launch = softmax_launch_of(
        {rows.x(), rows.y(), layout.rows, layout.n, layout.stride(), dtype_of<T>, logarithm}, 0,
        clusters);
    EXPECT_EQ(launch.way, way.value_or(launch.way)) << text_of(layout);
    launch_softmax(rows.gpu(), launch,
                   random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse);
    rows.expect_rows(int(launch.way), [&](const T* from, T* to) {
      onefold::test::softmax_row(from, layout.n, logarithm, to);
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

// The state of a row, merged from those of its parts, the last one first.
template <class T>
state state_of(const T* x, const std::vector<std::int64_t>& cuts) {
  state whole(op::logsumexp, dtype_of<T>);
  for (std::size_t part = cuts.size() - 1; part > 0; --part) {
    state own(op::logsumexp, dtype_of<T>);
    auto& sum = std::get<detail::exponential_sum<float>>(detail::state_access::known(own));
    for (std::int64_t i = cuts[part - 1]; i < cuts[part]; ++i)
      sum.add(onefold::test::step_value(x[i]));
    whole.merge(own);
  }
  return whole;
}

// Rows that are cut into parts: each part has the bits that the definition has of the whole row.
// unit: parts begin at multiples of it, at any address where it is 1.
template <class T>
void expect_parts(std::int64_t n, int parts, std::int64_t unit, const std::vector<T>& x,
                  random_source& random) {
  const std::int64_t rows = std::int64_t(x.size()) / n;
  std::vector<std::int64_t> cuts = {0, n};
  while (int(cuts.size()) <= parts)
    cuts.push_back(std::int64_t(random.below(std::uint64_t(n / unit + 1))) * unit);
  std::sort(cuts.begin(), cuts.end());
  std::vector<softmax_whole> whole;
  for (std::int64_t row = 0; row < rows; ++row)
    whole.push_back(whole_of(state_of(x.data() + row * n, cuts)));
  for (const bool logarithm : {false, true}) {
    std::vector<T> wanted(x.size());
    for (std::int64_t row = 0; row < rows; ++row)
      onefold::test::softmax_row(x.data() + row * n, n, logarithm, wanted.data() + row * n);
    for (std::size_t part = 1; part < cuts.size(); ++part) {
      const std::int64_t at = cuts[part - 1], count = cuts[part] - at;
      if (count == 0) continue;
      std::vector<T> own;
      for (std::int64_t row = 0; row < rows; ++row)
        own.insert(own.end(), x.data() + row * n + at, x.data() + row * n + at + count);
      device_rows<T> memory({rows, count, n - count, unit > 1 ? 0 : int(random.below(3))}, own);
      softmax_launch launch = softmax_launch_of(
          {memory.x(), memory.y(), rows, count, n, dtype_of<T>, logarithm}, 0, true);
      launch.whole = memory.gpu().memory().copy(std::span<const softmax_whole>(whole), "whole");
      launch_softmax(memory.gpu(), launch, simt::schedule::shuffled);
      const T* row = wanted.data() + at;
      memory.expect_rows(int(launch.way), [&](const T*, T* to) {
        std::copy_n(row, count, to);
        row += n;
      });
    }
  }
}

template <class T>
void expect_parts(std::int64_t n, int parts, const std::vector<T>& x, random_source& random) {
  for (const std::int64_t unit : {1, 16 / int(sizeof(T))}) expect_parts(n, parts, unit, x, random);
}

template <class T>
class cuda_softmax : public testing::Test {};
using element_types = testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(cuda_softmax, element_types);

// Lengths around those that change the number of lanes, on aligned memory.
TYPED_TEST(cuda_softmax, rows_of_whole_vectors) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {1, 3, 4, 5, 8, 17, 64, 127, 128, 129, 250, 257, 2048, 3000}) {
    random_source random = source_of(950, std::uint64_t(vectors));
    const std::int64_t rows = vectors < 128 ? random.between(1, 300 / vectors + 3) : 3;
    const layout layout = {rows, vectors * items, random.one_in(2) ? items : 0};
    expect_rows<T>(layout, softmax_way::staged, normal<T>(random, rows * layout.n), random);
  }
}

TYPED_TEST(cuda_softmax, rows_of_clusters) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {4609, 9300}) {
    random_source random = source_of(951, std::uint64_t(vectors));
    const layout layout = {2, vectors * items - std::int64_t(random.below(2))};
    expect_rows<T>(layout, softmax_way::staged, normal<T>(random, 2 * layout.n), random);
  }
}

TYPED_TEST(cuda_softmax, the_longest_rows_are_read_again) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  random_source random = source_of(956, 0);
  const layout layout = {1, 6656 * items + 1 + std::int64_t(random.below(9))};
  expect_rows<T>(layout, softmax_way::streamed, normal<T>(random, layout.n), random, false);
}

TYPED_TEST(cuda_softmax, rows_of_any_length_and_address) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 3, 5, 7, 31, 33, 127, 1000, 1023, 1025, 4999}) {
    random_source random = source_of(952, std::uint64_t(n));
    const std::int64_t rows = n < 100 ? 37 : 2;
    const layout layout = {rows, n, std::int64_t(random.below(3)), 1 + int(random.below(3)),
                           int(random.below(4))};
    expect_rows<T>(layout, {}, normal<T>(random, rows * n), random);
  }
}

TYPED_TEST(cuda_softmax, elements_of_every_family) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : onefold::test::families<T>())
    for (const std::int64_t n : {64, 203, 1024, 2049}) {
      random_source random = source_of(953, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? 3 : 1;
      std::vector<T> x(std::size_t(rows * n));
      for (std::int64_t row = 0; row < rows; ++row)
        family.fill(random, x.data() + row * n, std::size_t(n));
      expect_rows<T>({rows, n, 0, 0, int(n % 2)}, {}, x, random);
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
    expect_parts<T>(n, 1 + int(random.below(3)), x, random);
  }
}

TYPED_TEST(cuda_softmax, parts_of_rows_of_every_family) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : onefold::test::families<T>())
    for (const std::int64_t n : {40, 333, 1504}) {
      random_source random = source_of(957, index++);
      SCOPED_TRACE(family.name);
      std::vector<T> x(std::size_t(2 * n));
      family.fill(random, x.data(), x.size());
      expect_parts<T>(n, 1 + int(index % 3), x, random);
    }
}

// One element of a row has nearly all of the sum: its logarithm is near 0. Others are in the band
// below, and further down.
TYPED_TEST(cuda_softmax, parts_of_rows_with_an_element_that_is_nearly_all) {
  using T = TypeParam;
  for (const std::int64_t n : {3, 50, 300, 4700 * 16 / int(sizeof(T))}) {
    random_source random = source_of(958, std::uint64_t(n));
    const std::int64_t rows = n < 100 ? 9 : 1;
    auto x = normal<T>(random, rows * n);
    const auto place = [&](std::int64_t row) {
      return std::size_t(row * n + std::int64_t(random.below(std::uint64_t(n))));
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      for (const double low : {-250.0, -300.0, -700.0, -900.0})
        x[place(row)] = onefold::test::chopped<T>(low);
      x[place(row)] = onefold::test::chopped<T>(random.one_in(3) ? 300 : 40);
    }
    expect_parts<T>(n, n > 1000 ? 1 : 1 + int(random.below(3)), x, random);
  }
}

// All sums of a band are small: quotients of the band below are not 0.
TYPED_TEST(cuda_softmax, parts_of_rows_whose_highest_elements_are_at_the_end_of_their_band) {
  using T = TypeParam;
  random_source random = source_of(959, 0);
  for (const std::int64_t n : {24, 704, 1600}) {
    std::vector<T> x;
    for (std::int64_t i = 0; i < 3 * n; ++i)
      x.push_back(onefold::test::chopped<T>(-256 + 2 * random.normal()));
    for (std::int64_t i = 0; i < n; ++i)  // of one band
      x[std::size_t(i)] = onefold::test::chopped<T>(-250 + double(random.below(30)));
    expect_parts<T>(n, 1 + int(random.below(3)), x, random);
  }
}

}  // namespace
}  // namespace onefold::cuda::test
