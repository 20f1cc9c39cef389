// SPDX-License-Identifier: Apache-2.0
// The kernels of the backward passes of RMSNorm and LayerNorm under the executor give the bits of
// the definition, of any rows: of every family of elements, length, alignment and weight, also
// where a sum is ambiguous; no other byte is read or written.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
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
using onefold::test::source_of;

constexpr std::size_t most_shared = std::size_t(227) << 10;

struct gradient_shape {
  layout rows;
  int g_gap = 0, g_offset = 0;
  bool wants_dx = true, wants_dweight = true, wants_dbias = true;
  unsigned multiprocessors = 2;
  std::size_t shared_bytes = most_shared;
};

/// Rows of T, of RMSNorm, or centred ones of LayerNorm.
template <class T, bool Centred>
struct rows_of {
  using type = T;
  static constexpr bool centred = Centred;
};

/// Rows on a device and what the definition makes of them. W: the type of the weights.
template <class Rows, class W>
class trial {
  using T = typename Rows::type;

 public:
  trial(const gradient_shape& shape, std::vector<T> x, std::vector<T> g, std::vector<W> weight)
      : shape_(shape), x_(std::move(x)), g_(std::move(g)), weight_(std::move(weight)),
        rows_(shape.rows, x_) {
    const layout& layout = shape.rows;
    auto& memory = rows_.gpu().memory();
    auto* const g_there = memory.template allocate<T>(
        std::size_t(shape.g_offset + (layout.rows - 1) * g_stride() + layout.n), "g");
    for (std::int64_t row = 0; row < layout.rows; ++row) {
      note_row(x_.data() + row * layout.n);
      T* const to = g_there + shape.g_offset + row * g_stride();
      std::memcpy(to, g_.data() + row * layout.n, std::size_t(layout.n) * sizeof(T));
      memory.mark_written(memory.offset_of(to), std::size_t(layout.n) * sizeof(T));
    }
    const void* weight_there = nullptr;
    if (!weight_.empty()) weight_there = memory.copy(std::span<const W>(weight_), "weight");
    dweight_.assign(std::size_t(layout.n) + 1, onefold::test::make<W>(true, 2, 5));
    dbias_ = dweight_;
    dweight_there_ = memory.copy(std::span<const W>(dweight_), "dweight");
    dbias_there_ = memory.copy(std::span<const W>(dbias_), "dbias");
    norm_gradients request = {rows_.x(),
                              g_there + shape.g_offset,
                              shape.wants_dx ? rows_.y() : nullptr,
                              weight_there,
                              memory.copy(std::span<const double>(inverse_), "inverse"),
                              wants_dweight() ? dweight_there_ : nullptr,
                              layout.rows,
                              layout.n,
                              layout.stride(),
                              g_stride(),
                              0,
                              dtype_of<T>,
                              !std::is_same_v<T, W>,
                              Rows::centred};
    if (Rows::centred) request.mean = memory.copy(std::span<const double>(mean_), "mean");
    if (wants_dbias()) request.dbias = dbias_there_;
    launch_ = gradient_launch_of(request, shape.multiprocessors, shape.shared_bytes);
    launch_.partials =
        memory.template allocate<std::int64_t>(launch_.partials_bytes() / 8 + 1, "partials");
    launch_.ambiguous =
        memory.template allocate<std::int64_t>(launch_.ambiguous_bytes() / 8 + 1, "ambiguous");
  }

  gradient_launch& launch() { return launch_; }

  void expect_definition(simt::schedule order) {
    launch_gradients(rows_.gpu(), launch_, order);
    const std::int64_t n = shape_.rows.n;
    const W* const weights = weight_.empty() ? nullptr : weight_.data();
    std::int64_t row = 0;
    SCOPED_TRACE("lanes " + std::to_string(launch_.lanes) + ", blocks " +
                 std::to_string(launch_.blocks) + " of " + std::to_string(launch_.threads) +
                 ", strips " + std::to_string(launch_.strips));
    rows_.expect_rows(int(launch_.copies), [&](const T* x, T* to) {
      if (shape_.wants_dx) find_gradient(x, g_.data() + row * n, weights, std::size_t(row), to);
      ++row;
    });
    for (std::int64_t j = 0; j < n; ++j) {
      column_of column;
      for (row = 0; row < shape_.rows.rows; ++row)
        add(column, std::size_t(row * n + j), std::size_t(row));
      if constexpr (Rows::centred) {
        if (wants_dweight()) dweight_[std::size_t(j)] = column.template weight<W>();
        if (wants_dbias()) dbias_[std::size_t(j)] = column.template bias<W>();
      } else if (wants_dweight()) {
        dweight_[std::size_t(j)] = column.template value<W>();
      }
    }
    for (std::size_t j = 0; j < dweight_.size(); ++j) {
      ASSERT_EQ(detail::to_bits(dweight_there_[j]), detail::to_bits(dweight_[j]))
          << "column " << j << ", ONEFOLD_TEST_SEED=" << seed();
      ASSERT_EQ(detail::to_bits(dbias_there_[j]), detail::to_bits(dbias_[j]))
          << "column " << j << " of the bias, ONEFOLD_TEST_SEED=" << seed();
    }
  }

 private:
  using column_of = std::conditional_t<Rows::centred, onefold::test::layer_norm_columns<T>,
                                       onefold::test::column_gradient<T>>;

  void note_row(const T* x) {
    const std::int64_t n = shape_.rows.n;
    if constexpr (Rows::centred) {
      mean_.push_back(onefold::test::mean_of_row(x, n));
      const auto centred = onefold::test::centred_row(x, n, mean_.back());
      inverse_.push_back(onefold::test::inverse_of_row(centred.data(), n, 1e-6));
    } else {
      inverse_.push_back(onefold::test::inverse_of_row(x, n, 1e-6));
    }
  }
  void find_gradient(const T* x, const T* g, const W* weights, std::size_t row, T* to) const {
    const std::int64_t n = shape_.rows.n;
    if constexpr (Rows::centred)
      onefold::test::layer_norm_gradient(x, g, n, weights, mean_[row], inverse_[row], to);
    else
      onefold::test::row_gradient(x, g, n, weights, inverse_[row], to);
  }
  void add(column_of& column, std::size_t i, std::size_t row) const {
    if constexpr (Rows::centred)
      column.add(x_[i], g_[i], mean_[row], inverse_[row]);
    else
      column.add(x_[i], g_[i], inverse_[row]);
  }
  std::int64_t g_stride() const { return shape_.rows.n + shape_.g_gap; }
  bool wants_dweight() const { return shape_.wants_dweight && !weight_.empty(); }
  bool wants_dbias() const { return Rows::centred && shape_.wants_dbias; }

  gradient_shape shape_;
  std::vector<T> x_, g_;
  std::vector<W> weight_, dweight_, dbias_;
  std::vector<double> mean_, inverse_;
  device_rows<T> rows_;
  W *dweight_there_ = nullptr, *dbias_there_ = nullptr;
  gradient_launch launch_{};
};

template <class Rows, class T = typename Rows::type>
void expect_rows(const gradient_shape& shape, const std::vector<T>& x, const std::vector<T>& g,
                 random_source& random, std::optional<bool> copies = {}) {
  using onefold::test::any_of_exponent;
  const auto order = random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse;
  const auto run = [&]<class W>(std::vector<W> weight) {
    trial<Rows, W> one(shape, x, g, std::move(weight));
    if (copies) EXPECT_EQ(one.launch().copies, *copies) << text_of(shape.rows);
    one.expect_definition(order);
  };
  const auto kind = random.below(sizeof(T) == 2 ? 5 : 4);
  const auto weights = [&]<class W>(std::vector<W> made) {
    for (std::int64_t i = 0; i < shape.rows.n; ++i)
      made.push_back(any_of_exponent<W>(random, int(random.between(-3, 3))));
    return made;
  };
  if (kind == 0)
    run(std::vector<T>());
  else if (kind < 4)
    run(weights(std::vector<T>()));
  else if constexpr (sizeof(T) == 2)
    run(weights(std::vector<float>()));
}

template <class Rows>
class cuda_norm_backward : public testing::Test {};
using row_types = testing::Types<rows_of<f16, false>, rows_of<bf16, false>, rows_of<float, false>,
                                 rows_of<double, false>, rows_of<f16, true>, rows_of<bf16, true>,
                                 rows_of<float, true>, rows_of<double, true>>;
TYPED_TEST_SUITE(cuda_norm_backward, row_types);

// Lengths around those that change the number of lanes, on aligned memory.
TYPED_TEST(cuda_norm_backward, rows_of_whole_vectors_come_by_copies) {
  using T = typename TypeParam::type;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {1, 2, 3, 5, 8, 17, 64, 65, 127, 129, 250, 513, 1024}) {
    random_source random = source_of(930, std::uint64_t(vectors));
    const std::int64_t rows = vectors < 64 ? random.between(1, 900 / vectors + 3) : 5;
    gradient_shape shape = {{rows, vectors * items, random.one_in(2) ? items : 0}};
    shape.g_gap = random.one_in(2) ? int(items) : 0;
    const auto count = std::size_t(rows * shape.rows.n);
    expect_rows<TypeParam>(shape, normal_like<T>(random, count), normal_like<T>(random, count),
                           random, true);
  }
}

TYPED_TEST(cuda_norm_backward, rows_of_any_length_and_address) {
  using T = typename TypeParam::type;
  for (const std::int64_t n : {1, 2, 3, 5, 7, 31, 33, 127, 1000, 1023, 2049}) {
    random_source random = source_of(931, std::uint64_t(n));
    gradient_shape shape = {{n < 100 ? 71 : 5, n, std::int64_t(random.below(3)),
                             1 + int(random.below(3)), int(random.below(4))}};
    shape.g_gap = int(random.below(2)), shape.g_offset = 1 + 2 * int(random.below(2));
    const auto count = std::size_t(shape.rows.rows * n);
    expect_rows<TypeParam>(shape, normal_like<T>(random, count), normal_like<T>(random, count),
                           random, false);
  }
}

TYPED_TEST(cuda_norm_backward, rows_that_no_block_holds) {
  using T = typename TypeParam::type;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {65, 200}) {
    random_source random = source_of(932, std::uint64_t(vectors));
    for (const int odd : {0, 1}) {
      gradient_shape shape = {{4, vectors * items * 4 + odd}};
      shape.shared_bytes = 1;  // blocks of a warp
      const auto count = std::size_t(shape.rows.rows * shape.rows.n);
      expect_rows<TypeParam>(shape, normal_like<T>(random, count), normal_like<T>(random, count),
                             random, odd == 0);
    }
  }
}

TYPED_TEST(cuda_norm_backward, some_of_the_gradients) {
  using T = typename TypeParam::type;
  for (const std::int64_t n : {24, 1000, 1024}) {
    random_source random = source_of(933, std::uint64_t(n));
    gradient_shape shape = {{7, n}};
    const auto x = normal_like<T>(random, std::size_t(7 * n)),
               g = normal_like<T>(random, std::size_t(7 * n));
    for (const int wanted : {1, 2, 4, 5}) {
      shape.wants_dx = wanted & 1, shape.wants_dweight = wanted & 2, shape.wants_dbias = wanted & 4;
      expect_rows<TypeParam>(shape, x, g, random);
    }
  }
}

TYPED_TEST(cuda_norm_backward, elements_of_every_family) {
  using T = typename TypeParam::type;
  std::uint64_t index = 0;
  for (const auto& family : onefold::test::families<T>())
    for (const std::int64_t n : {64, 200, 1025}) {
      random_source random = source_of(934, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? 9 : 2;
      std::vector<T> x(std::size_t(rows * n)), g(x.size());
      for (std::int64_t row = 0; row < rows; ++row)
        family.fill(random, x.data() + row * n, std::size_t(n));
      if (random.one_in(2))
        family.fill(random, g.data(), g.size());
      else
        g = normal_like<T>(random, g.size());
      expect_rows<TypeParam>({{rows, n}}, x, g, random);
    }
}

// Rows whose dot is nothing or almost nothing, and columns that cancel: some of a warp, or all of a
// block.
TYPED_TEST(cuda_norm_backward, sums_that_cancel) {
  using T = typename TypeParam::type;
  using onefold::test::negated;
  for (const std::int64_t n : {2, 8, 50, 1024, 1030}) {
    random_source random = source_of(935, std::uint64_t(n));
    const std::int64_t rows = n < 100 ? 80 : 4;
    auto x = normal_like<T>(random, std::size_t(rows * n)), g = normal_like<T>(random, x.size());
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = 0; i < n; i += 2) {
        const auto at = std::size_t(row * n + i);
        x[at + 1] = x[at], g[at + 1] = negated(g[at]);
        if (row % 2 == 0) continue;
        const auto above = std::size_t((row - 1) * n + i);
        x[at] = x[at + 1] = x[above], g[at] = negated(g[above]), g[at + 1] = g[above];
      }
    for (std::int64_t row = 0; row < rows; row += 3)
      g[std::size_t(row * n)] = onefold::test::make<T>(false, onefold::test::ieee<T>::lsb + 3, 0);
    trial<TypeParam, T>({{rows, n}}, x, g, {}).expect_definition(simt::schedule::shuffled);
    trial<TypeParam, T>({{rows, n}}, x, g,
                        std::vector<T>(std::size_t(n), onefold::test::make<T>(false, 0, 0)))
        .expect_definition(simt::schedule::reverse);
  }
}

// Exact sums of columns by all warps of a block: the second half of the rows cancels the first one.
TYPED_TEST(cuda_norm_backward, long_columns_that_cancel) {
  using T = typename TypeParam::type;
  random_source random = source_of(938, 0);
  const std::int64_t rows = 8401, n = 2;
  const int range = sizeof(T) == 2 && onefold::test::ieee<T>::bias < 20 ? 14 : 60;
  const std::vector<T> x(std::size_t(rows * n), onefold::test::make<T>(false, 0, 0));
  std::vector<T> g(x.size());
  for (std::int64_t i = 0; i < rows * n; ++i)
    g[std::size_t(i)] =
        i < (rows / 2 + 1) * n
            ? onefold::test::any_of_exponent<T>(random, int(random.between(-range, range)))
            : onefold::test::negated(g[std::size_t((rows - 1 - i / n) * n + i % n)]);
  trial<TypeParam, T>({{rows, n}}, x, g, std::vector<T>(std::size_t(n), x[0]))
      .expect_definition(simt::schedule::shuffled);
}

TYPED_TEST(cuda_norm_backward, elements_of_all_exponents) {
  using T = typename TypeParam::type;
  const int least = onefold::test::ieee<T>::lsb, most = onefold::test::ieee<T>::bias;
  for (const std::int64_t n : {8, 64, 520}) {
    random_source random = source_of(936, std::uint64_t(n));
    const std::int64_t rows = sizeof(T) == 8 ? 2 : 5;
    std::vector<T> x(std::size_t(rows * n)), g(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = onefold::test::any_of_exponent<T>(random, int(random.between(least, most)));
      g[i] = onefold::test::any_of_exponent<T>(random, int(random.between(least, most)));
    }
    expect_rows<TypeParam>({{rows, n}}, x, g, random);
  }
}

TYPED_TEST(cuda_norm_backward, what_is_not_finite_and_zeros) {
  using T = typename TypeParam::type;
  using format = onefold::test::ieee<T>;
  const auto special = [](auto bits) {
    return onefold::test::as_float<T>(onefold::test::bits_of<T>(bits));
  };
  const T zero = special(0), minus_zero = special(format::sign);
  for (const std::int64_t n : {8, 24, 1024, 1025})
    for (const bool finite_rows : {false, true}) {
      random_source random = source_of(937, std::uint64_t(n));
      const std::int64_t rows = 8;
      auto x = normal_like<T>(random, std::size_t(rows * n)), g = normal_like<T>(random, x.size());
      const auto place = [&](std::int64_t row) {
        return std::size_t(row * n + std::int64_t(random.below(std::uint64_t(n))));
      };
      if (!finite_rows) {
        x[place(0)] = special(format::infinity), g[place(1)] = special(format::infinity);
        x[place(2)] = special(format::nan | format::sign), g[place(3)] = special(format::nan);
        const std::size_t both = place(4);
        x[both] = special(format::infinity | format::sign), g[both] = zero;
      }
      for (std::int64_t row = 5; row < rows; ++row)
        for (std::int64_t i = 0; i < n; ++i) {
          g[std::size_t(row * n + i)] = random.one_in(2) ? zero : minus_zero;
          if (row == 7) x[std::size_t(row * n + i)] = minus_zero;
        }
      for (std::int64_t row = 0; row < rows; ++row) g[std::size_t(row * n + 5)] = minus_zero;
      expect_rows<TypeParam>({{rows, n}}, x, g, random);
    }
}

// All products of a row are -0, so that their sum is, which shows in the zeros of dx.
TYPED_TEST(cuda_norm_backward, products_that_are_minus_zeros) {
  using T = typename TypeParam::type;
  using onefold::test::make;
  const auto zero = [](bool minus) {
    return onefold::test::as_float<T>(
        onefold::test::bits_of<T>(minus ? onefold::test::ieee<T>::sign : 0));
  };
  const auto value = [](T x) { return onefold::test::mean_of_row(&x, 1); };
  for (const std::int64_t n : {9, 24, 40, 1030}) {
    std::vector<T> x, g;
    for (std::int64_t row = 0; row < 3; ++row) {
      for (std::int64_t i = 0; i < n; ++i)  // around means above, below and at zero
        x.push_back(make<T>(row == 1 || (row == 2 && i % 2 == 1), row == 2 ? 1 : int(i % 2), 0));
      const T* const own = x.data() + row * n;
      const double mean = TypeParam::centred ? onefold::test::mean_of_row(own, n) : 0;
      for (std::int64_t i = 0; i < n; ++i) g.push_back(zero(value(own[i]) > mean));
    }
    trial<TypeParam, T>({{3, n}}, x, g, {}).expect_definition(simt::schedule::shuffled);
  }
}

// Neighbours that cancel, but for small ones between them: no interval knows their sum.
TYPED_TEST(cuda_norm_backward, sums_of_small_gradients_between_large_ones) {
  using T = typename TypeParam::type;
  const int large = std::min(onefold::test::ieee<T>::bias - 1, 70);
  for (const std::int64_t n : {24, 1024, 1030}) {
    random_source random = source_of(939, std::uint64_t(n));
    const std::int64_t rows = 5;
    std::vector<T> x(std::size_t(rows * n), T{});
    auto g = normal_like<T>(random, x.size());
    for (std::int64_t i = 0; i + 8 <= rows * n; i += 8) {
      // Most elements are their mean, so that dx has their gradients alone.
      x[std::size_t(i)] = onefold::test::make<T>(false, 0, 0);
      x[std::size_t(i + 7)] = onefold::test::make<T>(true, 0, 0);
      g[std::size_t(i)] = onefold::test::any_of_exponent<T>(random, large);
      g[std::size_t(i + 7)] = onefold::test::negated(g[std::size_t(i)]);
    }
    trial<TypeParam, T>({{rows, n}}, x, g, {}).expect_definition(simt::schedule::shuffled);
  }
}

TYPED_TEST(cuda_norm_backward, no_rows_have_a_gradient_of_zeros) {
  using T = typename TypeParam::type;
  simt::device gpu;
  const std::vector<T> weight(40, onefold::test::make<T>(false, 0, 0));
  T* const dweight = gpu.memory().copy(std::span<const T>(weight), "dweight");
  norm_gradients request = {};
  request.weight = gpu.memory().copy(std::span<const T>(weight), "weight");
  request.dweight = dweight, request.n = 39, request.type = dtype_of<T>;
  request.centred = TypeParam::centred;
  launch_gradients(gpu, gradient_launch_of(request, 2, most_shared), simt::schedule::reverse);
  for (const auto& finding : gpu.report()) ADD_FAILURE() << finding.text();
  for (int i = 0; i < 39; ++i) EXPECT_EQ(detail::to_bits(dweight[i]), 0u);
  EXPECT_EQ(detail::to_bits(dweight[39]), detail::to_bits(weight[39]));
}

// Each of the kinds of rows has lanes for all columns, and no more shared memory than there is.
TEST(gradient_launch_shapes, are_within_the_limits_of_every_device) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64})
    for (const std::size_t shared : {std::size_t(48) << 10, std::size_t(64) << 10,
                                     std::size_t(99) << 10, std::size_t(163) << 10, most_shared})
      for (std::int64_t n = 1; n < 100000; n += n / 7 + 1) {
        norm_gradients request = {};
        request.centred = n % 2 == 0;
        request.type = type, request.n = n, request.rows = 5000;
        request.stride = request.g_stride = n;
        const gradient_launch launch = gradient_launch_of(request, 132, shared);
        EXPECT_LE(launch.space().bytes(), shared) << name(type) << " rows of " << n;
        EXPECT_LE(launch.threads, gradient_lanes);
        EXPECT_EQ(launch.threads % 32, 0u);
        EXPECT_EQ(launch.threads % launch.lanes, 0u);
        EXPECT_TRUE(launch.lanes <= 32 ? std::has_single_bit(launch.lanes)
                                       : launch.lanes % 32 == 0);
        EXPECT_GE(launch.width() * launch.strips, n);
        EXPECT_LT(launch.width() * (launch.strips - 1), n);
      }
}

}  // namespace
}  // namespace onefold::cuda::test
