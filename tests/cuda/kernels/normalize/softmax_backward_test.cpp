// SPDX-License-Identifier: Apache-2.0
// The kernels of the backward passes of softmax and log_softmax under the executor give the bits of
// the definition, of any rows: of every family of elements, length and alignment, in place, and
// where a sum is ambiguous; no other byte is read or written.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cuda/kernels/normalize/kernels.hpp"
#include "cuda/kernels/normalize/rows.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/softmax_gradient_model.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::source_of;

struct gradient_shape {
  layout rows;
  int g_gap = 0, g_offset = 0;
  std::optional<row_way> way{};
  bool clusters = true;
};

/// Both functions.
template <class T>
void expect_rows(const gradient_shape& shape, const std::vector<T>& y, const std::vector<T>& g,
                 random_source& random) {
  const layout& layout = shape.rows;
  for (const bool logarithm : {false, true}) {
    device_rows<T> rows(layout, y);
    auto& memory = rows.gpu().memory();
    const std::int64_t g_stride = layout.n + shape.g_gap;
    auto* const g_there = memory.template allocate<T>(
        std::size_t(shape.g_offset + (layout.rows - 1) * g_stride + layout.n), "g");
    for (std::int64_t row = 0; row < layout.rows; ++row) {
      T* const to = g_there + shape.g_offset + row * g_stride;
      std::memcpy(to, g.data() + row * layout.n, std::size_t(layout.n) * sizeof(T));
      memory.mark_written(memory.offset_of(to), std::size_t(layout.n) * sizeof(T));
    }
    const softmax_gradient_launch launch =
        softmax_gradient_launch_of({rows.x(), g_there + shape.g_offset, rows.y(), layout.rows,
                                    layout.n, layout.stride(), g_stride, dtype_of<T>, logarithm},
                                   shape.clusters);
    EXPECT_EQ(launch.way, shape.way.value_or(launch.way)) << text_of(layout);
    launch_softmax_gradients(rows.gpu(), launch,
                             random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse);
    std::int64_t row = 0;
    SCOPED_TRACE(logarithm ? "log_softmax" : "softmax");
    rows.expect_rows(int(launch.way), [&](const T* from, T* to) {
      onefold::test::softmax_gradient_row(from, g.data() + row++ * layout.n, layout.n, logarithm,
                                          to);
    });
  }
}

/// Results of softmax and log_softmax, and a few that are none.
template <class T>
std::vector<T> results(random_source& random, std::int64_t n) {
  const double scales[] = {0.01, 1, 20, 300}, scale = scales[random.below(4)];
  std::vector<T> y;
  for (std::int64_t i = 0; i < n; ++i) {
    const double size = scale * std::fabs(random.normal());
    y.push_back(onefold::test::chopped<T>(random.one_in(6) ? size : -size));
  }
  return y;
}

template <class T>
class cuda_softmax_backward : public testing::Test {};
using element_types = testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(cuda_softmax_backward, element_types);

// Lengths around those that change the number of lanes, on aligned memory.
TYPED_TEST(cuda_softmax_backward, rows_of_whole_vectors_are_held) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {1, 3, 4, 5, 8, 17, 64, 127, 128, 129, 250, 513, 2048}) {
    random_source random = source_of(970, std::uint64_t(vectors));
    const std::int64_t rows = vectors < 64 ? random.between(1, 300 / vectors + 3) : 3;
    gradient_shape shape = {{rows, vectors * items, random.one_in(2) ? items : 0}};
    shape.g_gap = random.one_in(2) ? int(items) : 0, shape.way = row_way::held;
    const std::int64_t count = rows * shape.rows.n;
    expect_rows<T>(shape, results<T>(random, count), normal_like<T>(random, std::size_t(count)),
                   random);
  }
}

TYPED_TEST(cuda_softmax_backward, rows_of_clusters) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {2049, 4500, 16384}) {
    random_source random = source_of(971, std::uint64_t(vectors));
    gradient_shape shape = {{vectors < 5000 ? 2 : 1, vectors * items}};
    shape.way = row_way::held;
    const std::int64_t count = shape.rows.rows * shape.rows.n;
    expect_rows<T>(shape, results<T>(random, count), normal_like<T>(random, std::size_t(count)),
                   random);
  }
}

TYPED_TEST(cuda_softmax_backward, rows_that_are_read_again) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const bool clusters : {false, true}) {
    random_source random = source_of(972, clusters);
    gradient_shape shape = {{1, (clusters ? 16385 : 2100) * items}};
    shape.way = row_way::streamed, shape.clusters = clusters;
    expect_rows<T>(shape, results<T>(random, shape.rows.n),
                   normal_like<T>(random, std::size_t(shape.rows.n)), random);
  }
}

TYPED_TEST(cuda_softmax_backward, rows_of_any_length_and_address) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 3, 5, 7, 31, 33, 127, 1000, 1023, 1025, 4999}) {
    random_source random = source_of(973, std::uint64_t(n));
    gradient_shape shape = {{n < 100 ? 37 : 2, n, 1 + std::int64_t(random.below(3)),
                             1 + int(random.below(3)), int(random.below(4))}};
    shape.g_gap = int(random.below(2)), shape.g_offset = int(random.below(3));
    shape.way = row_way::elements;
    const std::int64_t count = shape.rows.rows * n;
    expect_rows<T>(shape, results<T>(random, count), normal_like<T>(random, std::size_t(count)),
                   random);
  }
}

// Vectors that y, g and dx have in common, from any element of a row on.
TYPED_TEST(cuda_softmax_backward, rows_of_any_length_with_the_same_vectors) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t n :
       {std::int64_t(1), std::int64_t(2), std::int64_t(7), std::int64_t(13), std::int64_t(33),
        std::int64_t(255), 64 * items + 3, 128 * items - 1, 2048 * items + 5, 2051 * items + 1}) {
    random_source random = source_of(981, std::uint64_t(n));
    const int offset = int(random.below(std::uint64_t(items)));
    gradient_shape shape = {{n < 1000 ? 37 : 2, n, random.one_in(2) ? items : 0, offset, offset}};
    shape.g_gap = random.one_in(2) ? int(items) : 0, shape.g_offset = offset;
    shape.clusters = random.one_in(2);
    shape.way = n < 2049 * items || shape.clusters ? row_way::held : row_way::streamed;
    const std::int64_t count = shape.rows.rows * n;
    expect_rows<T>(shape, results<T>(random, count), normal_like<T>(random, std::size_t(count)),
                   random);
  }
}

TYPED_TEST(cuda_softmax_backward, elements_of_every_family) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : onefold::test::families<T>())
    for (const std::int64_t n : {64, 203, 2048}) {
      random_source random = source_of(974, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? 9 : 2;
      std::vector<T> y(std::size_t(rows * n)), g(y.size());
      for (std::int64_t row = 0; row < rows; ++row)
        family.fill(random, y.data() + row * n, std::size_t(n));
      if (random.one_in(2))
        family.fill(random, g.data(), g.size());
      else
        g = normal_like<T>(random, g.size());
      expect_rows<T>({{rows, n}}, y, g, random);
      expect_rows<T>({{rows, n}}, g, y, random);
    }
}

// Rows whose sum is nothing or almost nothing: some of a warp, or all of a block or of a cluster.
TYPED_TEST(cuda_softmax_backward, sums_that_cancel) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t n :
       {std::int64_t(8), std::int64_t(50), std::int64_t(1024), std::int64_t(1030), 2052 * items}) {
    random_source random = source_of(975, std::uint64_t(n));
    const std::int64_t rows = n < 100 ? 80 : n < 2000 ? 4 : 1;
    auto y = normal_like<T>(random, std::size_t(rows * n)), g = normal_like<T>(random, y.size());
    for (std::size_t i = 0; i < y.size(); i += 2)
      y[i + 1] = y[i], g[i + 1] = onefold::test::negated(g[i]);
    for (std::int64_t row = 0; row < rows; row += 3)
      g[std::size_t(row * n)] = onefold::test::make<T>(false, onefold::test::ieee<T>::lsb + 3, 0);
    expect_rows<T>({{rows, n}}, y, g, random);
  }
}

// Few terms about 1 + 2^-24, of all lanes of a row or of one: next to a tie of floats.
TYPED_TEST(cuda_softmax_backward, sums_next_to_ties) {
  using T = TypeParam;
  using onefold::test::make, onefold::test::power_of_two;
  for (const std::int64_t n : {64, 1024}) {
    random_source random = source_of(976, std::uint64_t(n));
    const std::int64_t rows = 40;
    std::vector<T> y(std::size_t(rows * n), make<T>(false, 0, 0)), g(y.size(), T{});
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto place = [&] {
        return std::size_t(row * n) + std::size_t(random.below(std::uint64_t(n)));
      };
      g[place()] = make<T>(random.one_in(2), 0, 0);
      const std::size_t middle = place(), tiny = place();
      g[middle] = power_of_two<T>(random.one_in(2), -24);
      if (row % 3 != 0) g[tiny] = power_of_two<T>(random.one_in(2), -60);
      if (row % 3 == 1) y[tiny] = power_of_two<T>(false, -60);
    }
    expect_rows<T>({{rows, n}}, y, g, random);
  }
}

TYPED_TEST(cuda_softmax_backward, elements_of_all_exponents) {
  using T = TypeParam;
  const int least = onefold::test::ieee<T>::lsb, most = onefold::test::ieee<T>::bias;
  for (const std::int64_t n : {8, 64, 520}) {
    random_source random = source_of(977, std::uint64_t(n));
    std::vector<T> y(std::size_t(5 * n)), g(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = onefold::test::any_of_exponent<T>(random, int(random.between(least, most)));
      g[i] = onefold::test::any_of_exponent<T>(random, int(random.between(least, most)));
    }
    expect_rows<T>({{5, n}}, y, g, random);
  }
  // Products that are no floats, whose sum is one or is none.
  for (const int exponent : {-149, -100, -75, -70}) {
    random_source random = source_of(978, std::uint64_t(-exponent));
    std::vector<T> y(320), g(320);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = onefold::test::any_of_exponent<T>(random, exponent),
      g[i] = onefold::test::any_of_exponent<T>(random, exponent);
    expect_rows<T>({{20, 16}}, y, g, random);
  }
}

TYPED_TEST(cuda_softmax_backward, what_is_not_finite_and_zeros) {
  using T = TypeParam;
  using format = onefold::test::ieee<T>;
  const auto special = [](auto bits) {
    return onefold::test::as_float<T>(onefold::test::bits_of<T>(bits));
  };
  const T zero = special(0), minus_zero = special(format::sign);
  for (const std::int64_t n : {8, 24, 1024, 1025}) {
    random_source random = source_of(979, std::uint64_t(n));
    const std::int64_t rows = 10;
    auto y = results<T>(random, rows * n), g = normal_like<T>(random, y.size());
    const auto place = [&](std::int64_t row) {
      return std::size_t(row * n + std::int64_t(random.below(std::uint64_t(n))));
    };
    y[place(0)] = special(format::infinity), g[place(1)] = special(format::infinity);
    y[place(2)] = special(format::nan | format::sign), g[place(3)] = special(format::nan);
    y[place(4)] = special(format::infinity | format::sign);
    const std::size_t both = place(5);
    y[both] = special(format::infinity | format::sign), g[both] = zero;
    for (std::int64_t row = 6; row < rows; ++row)
      for (std::int64_t i = 0; i < n; ++i) {
        const auto at = std::size_t(row * n + i);
        g[at] = row > 7 || random.one_in(2) ? minus_zero : zero;
        if (row == 7 || row == 9) y[at] = zero;
      }
    expect_rows<T>({{rows, n}}, y, g, random);
  }
}

TYPED_TEST(cuda_softmax_backward, in_place_of_either_operand) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t n : {8 * items, 33 * items, 1025 * std::int64_t(1), 2052 * items}) {
    random_source random = source_of(980, std::uint64_t(n));
    const std::int64_t rows = n < 1000 ? 9 : 1;
    auto y = results<T>(random, rows * n), g = normal_like<T>(random, y.size());
    // The first row cancels but for one element, over more bits than a double has: its sum is
    // ambiguous, of f16 that of products.
    const int range = std::is_same_v<T, f16> ? 14 : 60;
    for (std::int64_t i = 0; i + 1 < n; i += 2) {
      const auto at = std::size_t(i);
      y[at] = y[at + 1] =
          onefold::test::any_of_exponent<T>(random, int(random.between(-range, range)));
      g[at] = onefold::test::any_of_exponent<T>(random, int(random.between(-range, range)));
      g[at + 1] = onefold::test::negated(g[at]);
    }
    y[3] = onefold::test::make<T>(false, -range, 1);
    for (const bool logarithm : {false, true})
      for (const bool of_y : {false, true}) {
        simt::device gpu;
        T* const y_there = gpu.memory().copy(std::span<const T>(y), "y");
        T* const g_there = gpu.memory().copy(std::span<const T>(g), "g");
        T* const dx = of_y ? y_there : g_there;
        launch_softmax_gradients(
            gpu,
            softmax_gradient_launch_of(
                {y_there, g_there, dx, rows, n, n, n, dtype_of<T>, logarithm}, true),
            simt::schedule::shuffled);
        for (const auto& finding : gpu.report()) ADD_FAILURE() << finding.text();
        std::vector<T> wanted(y.size());
        for (std::int64_t row = 0; row < rows; ++row)
          onefold::test::softmax_gradient_row(y.data() + row * n, g.data() + row * n, n, logarithm,
                                              wanted.data() + row * n);
        EXPECT_EQ(std::memcmp(dx, wanted.data(), wanted.size() * sizeof(T)), 0)
            << rows << " rows of " << n << " " << name(dtype_of<T>)
            << ", ONEFOLD_TEST_SEED=" << seed();
      }
  }
}

// Lanes for all vectors of a row, in no more blocks than a cluster has.
TEST(softmax_gradient_launch_shapes, have_lanes_for_every_row) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32})
    for (const bool clusters : {false, true})
      for (std::int64_t n = 1; n < 200000; n += n / 7 + 1) {
        softmax_gradients rows = {};
        rows.rows = 5000, rows.n = rows.stride = rows.g_stride = n, rows.type = type;
        const softmax_gradient_launch launch = softmax_gradient_launch_of(rows, clusters);
        const std::int64_t vectors = n * std::int64_t(size_bytes(type)) / 16;
        EXPECT_LE(launch.threads, row_lanes);
        EXPECT_EQ(launch.threads % 32, 0u);
        EXPECT_LE(launch.cluster, clusters ? softmax_gradient_blocks : 1);
        EXPECT_TRUE(std::has_single_bit(launch.cluster));
        EXPECT_EQ(launch.across % launch.cluster, 0u);
        EXPECT_GE(std::int64_t(launch.across / launch.cluster) * launch.down *
                      std::max(launch.threads * launch.cluster / launch.lanes, 1u),
                  rows.rows);
        EXPECT_TRUE(launch.way != row_way::held || launch.lanes * row_vectors >= vectors);
        EXPECT_EQ(launch.lanes > 32 ? launch.threads * launch.cluster : 128 * launch.cluster,
                  launch.lanes > 32 ? launch.lanes : launch.threads);
      }
}

}  // namespace
}  // namespace onefold::cuda::test
