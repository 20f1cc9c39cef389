// SPDX-License-Identifier: Apache-2.0
// LayerNorm's kernels under the executor give the bits of the definition, of any rows: of every
// family of elements, length, alignment, weight and bias; no other byte is read or written.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cuda/kernels/normalize/kernels.hpp"
#include "cuda/kernels/normalize/rows.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/layer_norm_model.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

enum class weights : unsigned char { none, same, floats };

/// Rows on a device and what the definition makes of them.
template <class T>
class trial {
 public:
  trial(const layout& layout, weights weight, double eps, std::vector<T> x, random_source& random)
      : rows_(layout, std::move(x)) {
    const bool biased = !random.one_in(3), weighted = !biased || !random.one_in(4);
    const auto there = [&](bool has, vectors& made) -> const void* {
      for (std::int64_t i = 0; i < layout.n && has && weight != weights::none; ++i) {
        made.same.push_back(onefold::test::any_of_exponent<T>(random, int(random.between(-3, 3))));
        made.floats.push_back(
            onefold::test::any_of_exponent<float>(random, int(random.between(-3, 3))));
      }
      if (made.same.empty()) return nullptr;
      auto& memory = rows_.gpu().memory();
      if (weight == weights::floats) return memory.copy(std::span<const float>(made.floats), "w");
      return memory.copy(std::span<const T>(made.same), "w");
    };
    const std::vector<double> zeros(std::size_t(layout.rows));
    request_ = {rows_.x(),
                rows_.y(),
                there(weighted, weight_),
                there(biased, bias_),
                mean_ = rows_.gpu().memory().copy(std::span<const double>(zeros), "mean"),
                inverse_ = rows_.gpu().memory().copy(std::span<const double>(zeros), "inverse"),
                layout.rows,
                layout.n,
                layout.stride(),
                eps,
                dtype_of<T>,
                weight == weights::floats};
  }

  layer_norm_launch launch() const { return layer_norm_launch_of(request_); }

  void expect_definition(const layer_norm_launch& launch, simt::schedule order) {
    launch_layer_norm(rows_.gpu(), launch, order);
    std::int64_t row = 0;
    rows_.expect_rows(int(launch.way), [&](const T* x, T* to) {
      if (request_.float_weight)
        expect_row(x, row, weight_.floats, bias_.floats, to);
      else
        expect_row(x, row, weight_.same, bias_.same, to);
      ++row;
    });
  }

 private:
  struct vectors {
    std::vector<T> same;
    std::vector<float> floats;
  };
  template <class W>
  void expect_row(const T* x, std::int64_t row, const std::vector<W>& weight,
                  const std::vector<W>& bias, T* to) {
    double mean = 0, inverse = 0;
    onefold::test::layer_normalize_row(x, request_.n, weight.empty() ? nullptr : weight.data(),
                                       bias.empty() ? nullptr : bias.data(), request_.eps, mean,
                                       inverse, to);
    EXPECT_EQ(detail::to_bits(mean_[row]), detail::to_bits(mean)) << "row " << row;
    EXPECT_EQ(detail::to_bits(inverse_[row]), detail::to_bits(inverse)) << "row " << row;
  }

  device_rows<T> rows_;
  vectors weight_, bias_;
  double *mean_ = nullptr, *inverse_ = nullptr;
  layer_norm_rows request_{};
};

weights any_weight(random_source& random, bool wide) {
  const auto chosen = weights(random.below(3));
  return wide && chosen == weights::floats ? weights::same : chosen;
}

template <class T>
void expect_rows(const layout& layout, std::optional<row_way> way, std::vector<T> x,
                 random_source& random, double eps = 1e-6) {
  trial<T> one(layout, any_weight(random, sizeof(T) >= 4), eps, std::move(x), random);
  layer_norm_launch launch = one.launch();
  EXPECT_EQ(launch.way, way.value_or(launch.way)) << text_of(layout);
  one.expect_definition(launch,
                        random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse);
}

template <class T>
class cuda_layer_norm : public testing::Test {};
using element_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(cuda_layer_norm, element_types);

// Lengths around those that change the number of lanes, on aligned memory.
TYPED_TEST(cuda_layer_norm, rows_of_whole_vectors_are_held) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {1, 3, 4, 5, 8, 17, 64, 127, 128, 129, 250, 257, 2048}) {
    random_source random = source_of(1900, std::uint64_t(vectors));
    const std::int64_t rows = vectors < 128 ? random.between(1, 300 / vectors + 3) : 2;
    const layout layout = {rows, vectors * items, random.one_in(2) ? items : 0};
    expect_rows<T>(layout, row_way::held, normal_like<T>(random, std::size_t(rows * layout.n)),
                   random);
  }
}

TYPED_TEST(cuda_layer_norm, longer_rows_are_read_twice) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {2049, 3000}) {
    random_source random = source_of(1901, std::uint64_t(vectors));
    const layout layout = {2, vectors * items};
    expect_rows<T>(layout, row_way::streamed, normal_like<T>(random, std::size_t(2 * layout.n)),
                   random);
  }
}

TYPED_TEST(cuda_layer_norm, rows_of_any_length_and_address) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 3, 5, 7, 31, 33, 127, 1000, 1023, 1025, 4999}) {
    random_source random = source_of(1902, std::uint64_t(n));
    const std::int64_t rows = n < 100 ? 37 : 2;
    const layout layout = {rows, n, std::int64_t(random.below(3)), 1 + int(random.below(3)),
                           int(random.below(4))};
    expect_rows<T>(layout, {}, normal_like<T>(random, std::size_t(rows * n)), random);
  }
}

TYPED_TEST(cuda_layer_norm, elements_of_every_family) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : onefold::test::families<T>())
    for (const std::int64_t n : {64, 200, 1024, 2049}) {
      random_source random = source_of(1903, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? 3 : 1;
      std::vector<T> x(std::size_t(rows * n));
      for (std::int64_t row = 0; row < rows; ++row)
        family.fill(random, x.data() + row * n, std::size_t(n));
      const double eps[] = {0, 1e-6, 1e30};
      expect_rows<T>({rows, n}, {}, std::move(x), random, eps[random.below(3)]);
    }
}

// Sums next to the middle of two doubles, and sums of squares after that: an interval cannot tell
// the side, whichever lane has the elements. Only some rows of a warp or of a block take the exact
// fallback, of some only for the squares.
TYPED_TEST(cuda_layer_norm, sums_that_are_almost_ties) {
  using T = TypeParam;
  constexpr int least = onefold::test::ieee<T>::lsb;
  for (const std::int64_t n : {8, 64, 512, 2050, 4096})
    for (const bool symmetric : {false, true}) {
      random_source random = source_of(1904, std::uint64_t(2 * n + symmetric));
      const std::int64_t rows = 7;
      auto x = normal_like<T>(random, std::size_t(rows * n));
      for (std::int64_t row = 1; row < rows; row += 2) {
        T* const to = x.data() + row * n;
        for (std::int64_t i = 0; i < n; ++i) {
          const int exponent = i < 3 ? (symmetric ? -27 : -54) : -70 - int(random.below(20));
          to[i] = onefold::test::power_of_two<T>(random.one_in(2), std::max(exponent, least));
        }
        to[0] = onefold::test::chopped<T>(1 + double(random.below(53)) / 128);
        // The mean is zero, so the squares are those of the elements.
        for (std::int64_t i = n / 2; i < n && symmetric; ++i)
          to[i] = onefold::test::negated(to[i - n / 2]);
        onefold::test::shuffle(random, to, std::size_t(n));
      }
      expect_rows<T>({rows, n}, {}, std::move(x), random, 0);
    }
}

// Lanes that are full of large elements of one sign, and small ones: sums need every bit of a
// window.
TYPED_TEST(cuda_layer_norm, elements_of_one_sign) {
  using T = TypeParam;
  for (const std::int64_t n : {512, 1024})
    for (const bool minus : {false, true}) {
      random_source random = source_of(1909, std::uint64_t(2 * n + minus));
      const std::int64_t rows = 6;
      std::vector<T> x;
      for (std::int64_t i = 0; i < rows * n; ++i) {
        const int exponent = random.one_in(8) ? -int(random.below(45)) : 0;
        const auto fraction = onefold::test::bits_of<T>(random());
        const auto high = onefold::test::bits_of<T>(onefold::test::ieee<T>::hidden / 4 * 3);
        x.push_back(onefold::test::make<T>(
            minus, exponent,
            onefold::test::bits_of<T>(exponent == 0 ? fraction | high : fraction)));
      }
      expect_rows<T>({rows, n}, {}, std::move(x), random, 0);
    }
}

// Large elements of both signs that cancel: what is left is far below the window's unit.
TYPED_TEST(cuda_layer_norm, sums_that_cancel) {
  using T = TypeParam;
  const int least = onefold::test::ieee<T>::lsb, most = onefold::test::ieee<T>::bias;
  for (const std::int64_t n : {8, 64, 520, 1030, 2048}) {
    random_source random = source_of(1908, std::uint64_t(n));
    const std::int64_t rows = 5;
    std::vector<T> x(std::size_t(rows * n));
    for (std::int64_t row = 0; row < rows; ++row) {
      T* const to = x.data() + row * n;
      for (std::int64_t i = 0; i + 1 < n; i += 2) {
        to[i] = onefold::test::any_of_exponent<T>(random, int(random.between(least, most - 1)));
        to[i + 1] = onefold::test::negated(to[i]);
      }
      if (row > 0) to[0] = onefold::test::any_of_exponent<T>(random, int(random.between(least, 0)));
      onefold::test::shuffle(random, to, std::size_t(n));
    }
    expect_rows<T>({rows, n}, {}, std::move(x), random, 0);
  }
}

// Where the least element is just inside or outside of the window of the largest.
TYPED_TEST(cuda_layer_norm, exponents_of_each_range) {
  using T = TypeParam;
  for (int range = 0; range < 40; ++range) {
    random_source random = source_of(1907, std::uint64_t(range));
    const std::int64_t n = random.one_in(2) ? 128 : 1024, rows = 3;
    std::vector<T> x(std::size_t(rows * n));
    for (T& one : x)
      one = onefold::test::any_of_exponent<T>(random, -int(random.below(unsigned(range) + 1)));
    for (std::int64_t row = 0; row < rows; ++row) {
      T* const to = x.data() + row * n;
      to[0] = onefold::test::any_of_exponent<T>(random, 0);
      to[1] =
          onefold::test::make<T>(random.one_in(2), -range, onefold::test::bits_of<T>(random() | 1));
      if (row < 2)
        onefold::test::shuffle(random, to, std::size_t(n));
      else  // four neighbours that add up to as much as they can
        to[0] = to[2] = to[3] = onefold::test::make<T>(false, 0, onefold::test::bits_of<T>(-1));
    }
    expect_rows<T>({rows, n}, {}, std::move(x), random, 0);
  }
}

// Four neighbours add up to more than the largest float.
TYPED_TEST(cuda_layer_norm, elements_of_the_largest_exponents) {
  using T = TypeParam;
  random_source random = source_of(1911, 0);
  const std::int64_t rows = 4, n = 64;
  std::vector<T> x;
  for (std::int64_t i = 0; i < rows * n; ++i)
    x.push_back(onefold::test::make<T>(i / n == 3 && random.one_in(2),
                                       onefold::test::ieee<T>::bias - int(i / n % 3),
                                       onefold::test::bits_of<T>(random())));
  expect_rows<T>({rows, n}, {}, std::move(x), random, 0);
}

TYPED_TEST(cuda_layer_norm, elements_of_all_exponents) {
  using T = TypeParam;
  const int least = onefold::test::ieee<T>::lsb, most = onefold::test::ieee<T>::bias;
  for (const std::int64_t n : {8, 64, 520, 2051}) {
    random_source random = source_of(1906, std::uint64_t(n));
    const std::int64_t rows = sizeof(T) == 8 ? 2 : 5;
    std::vector<T> x(std::size_t(rows * n));
    for (T& one : x)
      one = onefold::test::any_of_exponent<T>(random, int(random.between(least, most)));
    expect_rows<T>({rows, n}, {}, std::move(x), random, 0);
  }
}

TYPED_TEST(cuda_layer_norm, what_is_not_finite_and_zeros) {
  using T = TypeParam;
  using format = onefold::test::ieee<T>;
  const auto special = [](auto bits) {
    return onefold::test::as_float<T>(onefold::test::bits_of<T>(bits));
  };
  for (const std::int64_t n : {8, 24, 1024, 1025})
    for (const double eps : {0.0, 1e-6, -1.0}) {
      random_source random = source_of(1905, std::uint64_t(n));
      auto x = normal_like<T>(random, std::size_t(6 * n));
      const auto put = [&](std::int64_t row, T value) {
        x[std::size_t(row * n + std::int64_t(random.below(std::uint64_t(n))))] = value;
      };
      put(0, special(format::infinity)), put(1, special(format::infinity | format::sign));
      put(2, special(format::nan | format::sign)), put(3, special(format::nan)),
          put(3, special(format::infinity));
      for (std::int64_t i = 0; i < n; ++i)
        x[std::size_t(4 * n + i)] = special(random.one_in(2) ? format::sign : 0);
      expect_rows<T>({6, n}, {}, std::move(x), random, eps);
    }
}

TEST(cuda_layer_norm_launch, grids_of_more_blocks_than_one_dimension_has) {
  layer_norm_rows rows = {};
  rows.rows = std::int64_t(1) << 34, rows.n = 1, rows.stride = 1, rows.type = dtype::bf16;
  const layer_norm_launch launch = layer_norm_launch_of(rows);
  EXPECT_EQ(launch.way, row_way::elements);
  EXPECT_EQ(launch.lanes, 1u);
  EXPECT_GE(std::int64_t(launch.across) * launch.down * (launch.threads / launch.lanes), rows.rows);
  rows.rows *= 256, rows.n = rows.stride = 8;
  EXPECT_GT(layer_norm_launch_of(rows).down, 1u);
}

}  // namespace
}  // namespace onefold::cuda::test
