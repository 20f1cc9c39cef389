// SPDX-License-Identifier: Apache-2.0
// The kernels of class losses and of their gradients under the executor give the bits of the
// definition, of any rows: of every family of elements, length and alignment; no other byte is read
// or written.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "cuda/kernels/normalize/kernels.hpp"
#include "cuda/kernels/normalize/rows.hpp"
#include "support/cross_entropy_model.hpp"
#include "support/families.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::chopped;
using onefold::test::cross_entropy_row;
using onefold::test::source_of;
using onefold::test::step_value;

constexpr std::int64_t ignored = -3;

/// What is known of rows, and their targets and scales.
struct labels {
  std::vector<std::int64_t> targets;
  std::vector<float> scales;
};

// Targets anywhere, or the largest element; some are ignored, some no class.
template <class T>
labels labels_of(random_source& random, const std::vector<T>& x, std::int64_t n) {
  const float special[] = {1, -1, 0, -0.0f, 0x1p127f, -0x1p-149f, 1.0f / 4096, 0x1p20f};
  labels made;
  for (std::size_t first = 0; first < x.size(); first += std::size_t(n)) {
    const T* const row = x.data() + first;
    const auto less = [](const T& a, const T& b) { return step_value(a) < step_value(b); };
    std::int64_t target = random.one_in(2) ? std::max_element(row, row + n, less) - row
                                           : std::int64_t(random.below(std::uint64_t(n)));
    if (random.one_in(6)) target = ignored;
    if (random.one_in(12)) target = random.one_in(2) ? n : std::int64_t(-1) << 62;
    made.targets.push_back(target);
    made.scales.push_back(random.one_in(2) ? special[random.below(8)] : float(random.normal()));
    if (random.one_in(12)) made.scales.back() = std::numeric_limits<float>::infinity();
  }
  return made;
}

// The model's target: below 0 ignored, n where it is no class.
std::int64_t modelled(std::int64_t target, std::int64_t n) {
  return target == ignored ? -1 : target < 0 || target > n ? n : target;
}

template <class T>
std::vector<cross_entropy_row> models_of(const std::vector<T>& x, std::int64_t n,
                                         const labels& by) {
  std::vector<cross_entropy_row> made;
  for (std::size_t row = 0; row < by.targets.size(); ++row)
    made.push_back(onefold::test::cross_entropy_model(x.data() + std::int64_t(row) * n, n,
                                                      modelled(by.targets[row], n)));
  return made;
}

template <class T>
void expect_losses(const layout& layout, std::optional<softmax_way> way, const std::vector<T>& x,
                   const labels& by, random_source& random, bool clusters,
                   unsigned multiprocessors) {
  device_rows<T> rows(layout, x);
  auto& memory = rows.gpu().memory();
  const auto count = std::size_t(layout.rows);
  float* const losses = memory.template allocate<float>(count, "losses");
  double* const totals = memory.template allocate<double>(3 * count, "totals");
  const auto* const targets = memory.copy(std::span<const std::int64_t>(by.targets), "targets");
  const class_losses given = {
      {rows.x(), targets, layout.rows, layout.n, layout.stride(), ignored, dtype_of<T>},
      losses,
      totals};
  const loss_launch launch = loss_launch_of(given, multiprocessors, clusters);
  EXPECT_EQ(launch.way, way.value_or(launch.way)) << text_of(layout);
  launch_losses(rows.gpu(), launch,
                random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse);
  rows.expect_rows(int(launch.way), [](const T*, T*) {});
  const auto wanted = models_of(x, layout.n, by);
  for (std::size_t row = 0; row < count; ++row) {
    ASSERT_EQ(detail::to_bits(losses[row]), detail::to_bits(wanted[row].loss))
        << row << ": " << losses[row] << ", not " << wanted[row].loss << ", " << text_of(layout);
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(detail::to_bits(totals[3 * row + std::size_t(i)]),
                detail::to_bits(wanted[row].totals[i]))
          << row << ", " << i << ": " << totals[3 * row + std::size_t(i)] << ", not "
          << wanted[row].totals[i] << ", " << text_of(layout);
  }
}

// In place, too, where rows are contiguous.
template <class T>
void expect_gradients(const layout& layout, const std::vector<T>& x, const labels& by,
                      random_source& random) {
  std::vector<double> known;
  for (const cross_entropy_row& row : models_of(x, layout.n, by))
    known.insert(known.end(), row.totals, row.totals + 3);
  device_rows<T> rows(layout, x);
  auto& memory = rows.gpu().memory();
  class_gradients given = {{rows.x(),
                            memory.copy(std::span<const std::int64_t>(by.targets), "targets"),
                            layout.rows, layout.n, layout.stride(), ignored, dtype_of<T>},
                           memory.copy(std::span<const float>(by.scales), "scales"),
                           memory.copy(std::span<const double>(known), "totals"),
                           rows.y()};
  const double smoothing = random.one_in(2) ? 0 : 0.1;
  given.smoothing = smoothing / double(layout.n);
  const auto order = random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse;
  launch_class_gradients(rows.gpu(), class_gradient_launch_of(given, unsigned(random.below(3))),
                         order);
  std::size_t row = 0;
  std::vector<T> all;
  rows.expect_rows(-1, [&](const T* from, T* to) {
    onefold::test::cross_entropy_gradient(from, layout.n, modelled(by.targets[row], layout.n),
                                          by.scales[row], to, smoothing);
    ++row, all.insert(all.end(), to, to + layout.n);
  });
  if (layout.gap != 0) return;
  given.dx = const_cast<T*>(rows.x());
  launch_class_gradients(rows.gpu(), class_gradient_launch_of(given, 1), order);
  EXPECT_EQ(std::memcmp(rows.x(), all.data(), all.size() * sizeof(T)), 0) << text_of(layout);
  for (const auto& finding : rows.gpu().report()) ADD_FAILURE() << finding.text();
}

template <class T>
void expect_rows(const layout& layout, std::optional<softmax_way> way, const std::vector<T>& x,
                 random_source& random, bool clusters = true, unsigned multiprocessors = 0) {
  const labels by = labels_of(random, x, layout.n);
  expect_losses(layout, way, x, by, random, clusters, multiprocessors);
  expect_gradients(layout, x, by, random);
}

template <class T>
std::vector<T> normal(random_source& random, std::int64_t n) {
  const double scales[] = {0.1, 2, 10, 40}, scale = scales[random.below(4)];
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(chopped<T>(scale * random.normal()));
  return x;
}

template <class T>
class cuda_cross_entropy : public testing::Test {};
using element_types = testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(cuda_cross_entropy, element_types);

// Lengths around those that change the number of lanes, on aligned memory.
TYPED_TEST(cuda_cross_entropy, rows_of_whole_vectors) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const std::int64_t vectors : {1, 3, 4, 5, 8, 17, 64, 127, 128, 129, 250, 257, 2048, 3000}) {
    random_source random = source_of(980, std::uint64_t(vectors));
    const std::int64_t rows = vectors < 128 ? random.between(1, 300 / vectors + 3) : 5;
    const layout layout = {rows, vectors * items, random.one_in(2) ? items : 0};
    expect_rows<T>(layout, softmax_way::staged, normal<T>(random, rows * layout.n), random);
  }
}

TYPED_TEST(cuda_cross_entropy, rows_of_clusters) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  random_source random = source_of(981, 0);
  const layout layout = {3, 4609 * items - std::int64_t(random.below(2))};
  expect_rows<T>(layout, softmax_way::staged, normal<T>(random, 3 * layout.n), random);
}

// By a block each, or a cluster of some; where there are no clusters.
TYPED_TEST(cuda_cross_entropy, the_longest_rows_are_streamed) {
  using T = TypeParam;
  constexpr std::int64_t items = 16 / sizeof(T);
  for (const unsigned multiprocessors : {0, 2, 40}) {
    random_source random = source_of(982, multiprocessors);
    const layout layout = {3, 9300 * items - std::int64_t(random.below(2)),
                           std::int64_t(random.below(3)), int(random.below(2))};
    expect_rows<T>(layout, softmax_way::streamed, normal<T>(random, 3 * layout.n), random, true,
                   multiprocessors);
  }
  random_source random = source_of(988, 0);
  const layout layout = {2, 6656 * items + 1 + std::int64_t(random.below(9))};
  expect_rows<T>(layout, softmax_way::streamed, normal<T>(random, 2 * layout.n), random, false);
}

// What is before the first vector of such a row is not written: reading it is reported.
TYPED_TEST(cuda_cross_entropy, rows_that_do_not_count_are_not_read) {
  using T = TypeParam;
  for (const std::int64_t n : {37, 1501, 40'000}) {
    random_source random = source_of(989, std::uint64_t(n));
    const layout layout = {4, n, 16, 1};
    const auto x = normal<T>(random, 4 * n);
    const labels by = {{ignored, 3, n, ignored}, {1, 1, 1, 1}};
    for (const bool clusters : {false, true})
      expect_losses<T>(layout, {}, x, by, random, clusters, 1);
    expect_gradients<T>(layout, x, by, random);
  }
}

TYPED_TEST(cuda_cross_entropy, rows_of_any_length_and_address) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 3, 5, 7, 31, 33, 127, 1000, 1023, 1025, 4999}) {
    random_source random = source_of(983, std::uint64_t(n));
    const std::int64_t rows = n < 100 ? 37 : 3;
    const layout layout = {rows, n, std::int64_t(random.below(3)), 1 + int(random.below(3)),
                           int(random.below(4))};
    expect_rows<T>(layout, {}, normal<T>(random, rows * n), random);
  }
}

TYPED_TEST(cuda_cross_entropy, elements_of_every_family) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : onefold::test::families<T>())
    for (const std::int64_t n : {64, 203, 1024, 2049}) {
      random_source random = source_of(984, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? 5 : 2;
      std::vector<T> x(std::size_t(rows * n));
      for (std::int64_t row = 0; row < rows; ++row)
        family.fill(random, x.data() + row * n, std::size_t(n));
      expect_rows<T>({rows, n, 0, 0, int(n % 2)}, {}, x, random);
    }
}

// One element of a row has nearly all of the sum. Others are in the band below, and further down.
TYPED_TEST(cuda_cross_entropy, targets_near_zero_and_several_bands) {
  using T = TypeParam;
  for (const std::int64_t n : {2, 3, 50, 300, 4700 * 16 / int(sizeof(T))}) {
    random_source random = source_of(985, std::uint64_t(n));
    const std::int64_t rows = n < 100 ? 40 : 3;
    auto x = normal<T>(random, rows * n);
    const auto place = [&](std::int64_t row) {
      return std::size_t(row * n + std::int64_t(random.below(std::uint64_t(n))));
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      if (random.one_in(2))
        for (const double low : {-250.0, -300.0, -700.0, -900.0}) x[place(row)] = chopped<T>(low);
      x[place(row)] = chopped<T>(random.one_in(3) ? 300 : 40);
    }
    expect_rows<T>({rows, n}, {}, x, random);
  }
}

// All sums of a band are small: quotients of the band below are not 0.
TYPED_TEST(cuda_cross_entropy, rows_whose_highest_elements_are_at_the_end_of_their_band) {
  using T = TypeParam;
  random_source random = source_of(986, 0);
  for (const std::int64_t n : {24, 704, 1600}) {
    std::vector<T> x;
    for (std::int64_t i = 0; i < 3 * n; ++i) x.push_back(chopped<T>(-256 + 2 * random.normal()));
    for (std::int64_t i = 0; i < n; ++i)  // of one band
      x[std::size_t(i)] = chopped<T>(-250 + double(random.below(30)));
    expect_rows<T>({3, n}, {}, x, random);
  }
}

TYPED_TEST(cuda_cross_entropy, what_is_not_finite_and_zeros) {
  using T = TypeParam;
  using format = onefold::test::ieee<T>;
  const auto special = [](auto bits) {
    return onefold::test::as_float<T>(onefold::test::bits_of<T>(bits));
  };
  for (const std::int64_t n : {8, 24, 1024, 1025}) {
    random_source random = source_of(987, std::uint64_t(n));
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
