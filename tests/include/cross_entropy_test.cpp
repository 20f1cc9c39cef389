// SPDX-License-Identifier: Apache-2.0
// cross_entropy and its gradient on the CPU: the bits of the definition on every SIMD target, for
// every family, length and distance of rows; within the bounds of docs/numerics/cross-entropy.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "onefold/loss.hpp"
#include "onefold/normalize.hpp"
#include "support/cross_entropy_model.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

constexpr std::int64_t ignored = -100;

/// Rows with their targets and scales, and what the library makes of them.
template <class T>
struct trial {
  std::int64_t rows, n, stride;
  std::vector<T> x;
  std::vector<std::int64_t> targets{};
  std::vector<float> scales{};
  double smoothing = 0;

  array_view view() const {
    constexpr auto item = std::int64_t(sizeof(T));
    return {x.data(), dtype_of<T>, {{rows, stride * item}, {n, item}}};
  }
  std::string text() const {
    return std::to_string(rows) + " rows of " + std::to_string(n) + " " +
           std::string(name(dtype_of<T>)) + ", stride " + std::to_string(stride) +
           ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
  }
  /// Targets anywhere, one in ten ignored; scales as of a mean, of all sizes and special ones.
  void choose(random_source& random) {
    if (random.one_in(2)) smoothing = random.one_in(4) ? 1 : 0.1;
    for (std::int64_t row = 0; row < rows; ++row) {
      targets.push_back(random.one_in(10) ? ignored : std::int64_t(random.below(std::uint64_t(n))));
      const float special[] = {1, -1, 0, -0.0f, 0x1p127f, -0x1p-149f, 1.0f / 4096, 65536};
      scales.push_back(random.one_in(2) ? special[random.below(8)] : float(random.normal()));
    }
  }
  /// The largest element of some rows.
  void aim_at_the_largest(random_source& random) {
    for (std::int64_t row = 0; row < rows; ++row) {
      if (random.one_in(3)) continue;
      const T* const from = x.data() + row * stride;
      const auto less = [](const T& a, const T& b) { return step_value(a) < step_value(b); };
      targets[std::size_t(row)] = std::max_element(from, from + n, less) - from;
    }
  }
};

template <class T>
struct results {
  explicit results(const trial<T>& given)
      : losses(std::size_t(given.rows) + 1, 7), totals(std::size_t(3 * given.rows) + 1, 7),
        dx(std::size_t(given.rows * given.n) + 1, make<T>(true, 2, 5)) {}
  std::vector<float> losses;
  std::vector<double> totals;
  std::vector<T> dx;
};

/// The first number of which the bits differ; empty: there is none.
template <class T>
std::string difference(const results<T>& made, const results<T>& wanted) {
  const auto between = [](const char* name, const auto& a, const auto& b) -> std::string {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (std::memcmp(&a[i], &b[i], sizeof a[i]) != 0)
        return std::string(name) + " " + std::to_string(i) + ": " +
               std::to_string(double(step_value(a[i]))) + ", not " +
               std::to_string(double(step_value(b[i])));
    return {};
  };
  return between("loss", made.losses, wanted.losses) +
         between("total", made.totals, wanted.totals) + between("element", made.dx, wanted.dx);
}

template <class T>
results<T> defined(const trial<T>& given) {
  results<T> made(given);
  for (std::int64_t row = 0; row < given.rows; ++row) {
    const T* const x = given.x.data() + row * given.stride;
    const std::int64_t target = given.targets[std::size_t(row)];
    const cross_entropy_row one = cross_entropy_model(x, given.n, target);
    made.losses[std::size_t(row)] = one.loss;
    std::copy_n(one.totals, 3, made.totals.begin() + 3 * row);
    cross_entropy_gradient(x, given.n, target, given.scales[std::size_t(row)],
                           made.dx.data() + row * given.n, given.smoothing);
  }
  return made;
}

template <class T>
results<T> computed(const trial<T>& given, int threads, bool in_place = false) {
  results<T> made(given);
  const executor on = executor::cpu{threads};
  const status losses = cross_entropy(on, given.view(), given.targets.data(), made.losses.data(),
                                      {.totals = made.totals.data()});
  EXPECT_TRUE(losses.ok()) << losses.message();
  trial<T> copy = given;
  void* const dx = in_place ? copy.x.data() : made.dx.data();
  const status gradients =
      cross_entropy_backward(on, copy.view(), given.targets.data(), given.scales.data(),
                             made.totals.data(), dx, {.label_smoothing = given.smoothing});
  EXPECT_TRUE(gradients.ok()) << gradients.message();
  if (in_place) std::copy(copy.x.begin(), copy.x.end(), made.dx.begin());
  return made;
}

template <class T>
void expect_definition(const trial<T>& given, int threads = 1) {
  const results<T> wanted = defined(given);
  on_each_target([&](const std::string& target) {
    ASSERT_EQ(difference(computed(given, threads), wanted), "") << given.text() << ", " << target;
    if (given.stride != given.n) return;
    ASSERT_EQ(difference(computed(given, threads, true), wanted), "")
        << given.text() << ", in place";
  });
}

template <class T>
std::vector<T> normal(random_source& random, std::int64_t n, double scale, double mean = 0) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(chopped<T>(mean + scale * random.normal()));
  return x;
}

template <class T>
class cross_entropy_of : public testing::Test {};
using narrow_types = testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(cross_entropy_of, narrow_types);

TYPED_TEST(cross_entropy_of, every_family_and_shape_is_the_definition) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 2, 7, 64, 333, 1500}) {
      random_source random = source_of(970, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? random.between(1, 5) : 1;
      trial<T> one = {rows, n, n + std::int64_t(random.below(3)), {}};
      one.x.resize(std::size_t(rows * one.stride));
      family.fill(random, one.x.data(), one.x.size());
      one.choose(random);
      if (random.one_in(2)) one.aim_at_the_largest(random);
      expect_definition(one);
    }
}

// The last ones are longer than a piece, and than the exponentials that are kept.
TYPED_TEST(cross_entropy_of, usual_rows_is_the_definition) {
  std::uint64_t index = 0;
  for (const std::int64_t n : {5, 100, 4099, 70'001, 270'001})
    for (const double scale : {0.01, 1.0, 12.0, 40.0}) {
      if (n > 100'000 && scale != 1) continue;
      random_source random = source_of(971, index++);
      const double mean[] = {0, 100, -900};
      const std::int64_t rows = n < 1000 ? 8 : 1;
      trial<TypeParam> one = {rows, n, n,
                              normal<TypeParam>(random, rows * n, scale, mean[index % 3])};
      if (n > 100'000) one.x[177'777] = chopped<TypeParam>(30);  // near zero
      one.choose(random);
      if (random.one_in(2) || n > 100'000) one.aim_at_the_largest(random);
      expect_definition(one);
    }
}

TYPED_TEST(cross_entropy_of, many_rows_by_several_threads_is_the_definition) {
  random_source random = source_of(972, 0);
  trial<TypeParam> one = {700, 300, 301, normal<TypeParam>(random, 700 * 301, 3)};
  one.choose(random);
  expect_definition(one, 4);
}

// The target has nearly all of the sum.
TYPED_TEST(cross_entropy_of, targets_near_zero_is_the_definition) {
  using T = TypeParam;
  for (std::uint64_t k = 0; k < 60; ++k) {
    random_source random = source_of(973, k);
    const std::int64_t n = 1 + std::int64_t(random.below(100));
    trial<T> one = {9, n, n, normal<T>(random, 9 * n, 0.5)};
    for (std::int64_t row = 0; row < 9; ++row)
      one.x[std::size_t(row * n) + random.below(std::uint64_t(n))] =
          chopped<T>((random.one_in(4) ? 600 : 1) + 35 * random.unit());
    one.choose(random);
    one.aim_at_the_largest(random);
    expect_definition(one);
  }
}

// Elements at the edges of bands and of what is read as masked, of every size.
TYPED_TEST(cross_entropy_of, several_bands_is_the_definition) {
  using T = TypeParam;
  const T lowest = negated(as_float<T>(ieee<T>::infinity));
  for (std::uint64_t k = 0; k < 200; ++k) {
    random_source random = source_of(974, k);
    const double tops[] = {0, 256, 768, -512, 5000, -30000, 6e4, 1e30, 3e38};
    const double top = tops[random.below(9)];
    const double steps[] = {0, 0, 0.5, 20, 255, 256, 257, 512, 767, 768, 769, 1024, 1e9};
    const std::int64_t n = 1 + std::int64_t(random.below(40));
    trial<T> one = {1, n, n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
      const double apart = steps[random.below(13)] + (random.one_in(2) ? random.unit() : 0);
      one.x.push_back(random.one_in(9) ? lowest : chopped<T>(top - apart));
    }
    if (random.one_in(3)) std::fill(one.x.begin(), one.x.begin() + n / 2, one.x.back());
    one.choose(random);
    expect_definition(one);
  }
}

TYPED_TEST(cross_entropy_of, masked_rows_is_the_definition) {
  using T = TypeParam;
  for (std::uint64_t k = 0; k < 24; ++k) {
    random_source random = source_of(975, k);
    const std::int64_t n = 100 + std::int64_t(random.below(5000));
    trial<T> one = {1, n, n, normal<T>(random, n, 3)};
    const T mask = random.one_in(2) ? negated(as_float<T>(ieee<T>::infinity)) : chopped<T>(-6e4);
    const std::uint64_t from = random.below(one.x.size()),
                        to = from + random.below(one.x.size() - from);
    for (std::uint64_t i = 0; i < one.x.size(); ++i)
      if (k % 3 == 0 ? i < from : k % 3 == 1 ? i > from : i >= from && i < to) one.x[i] = mask;
    one.choose(random);
    expect_definition(one);
  }
}

TYPED_TEST(cross_entropy_of, rows_and_scales_that_are_not_finite_is_the_definition) {
  using T = TypeParam;
  using format = ieee<T>;
  const T nan = as_float<T>(bits_of<T>(format::nan)),
          other = as_float<T>(bits_of<T>(format::nan | format::sign | 1)),
          infinity = as_float<T>(format::infinity);
  random_source random = source_of(976, 0);
  for (const std::int64_t n : {3, 40}) {
    trial<T> one = {9, n, n, normal<T>(random, 9 * n, 2), {0, 1, 2, 1, 0, 1, 2, ignored, 0}};
    const auto at = [&](std::int64_t row, std::int64_t i) -> T& {
      return one.x[std::size_t(row * n + i)];
    };
    at(0, 1) = nan, at(1, 2) = other, at(2, 0) = infinity, at(3, 1) = negated(infinity);
    for (std::int64_t i = 0; i < n; ++i)
      at(4, i) = negated(infinity), at(5, i) = as_float<T>(bits_of<T>(i % 2 ? format::sign : 0));
    at(7, 0) = nan;
    constexpr float most = std::numeric_limits<float>::infinity();
    one.scales = {1, 1, 1, 1, 1, 1, most, most, -std::nanf("")};
    expect_definition(one);
    const results<T> made = computed(one, 1);
    EXPECT_TRUE(std::isnan(made.losses[0]) && made.losses[3] == most && made.losses[7] == 0);
    EXPECT_EQ(as_bits(made.dx[std::size_t(6 * n)]), format::nan);
    EXPECT_EQ(as_bits(made.dx[std::size_t(7 * n)]), 0u);
  }
}

// The loss rounded to x's type is log_softmax of the target's element.
TYPED_TEST(cross_entropy_of, rows_is_log_softmax) {
  using T = TypeParam;
  random_source random = source_of(977, 0);
  trial<T> one = {500, 20, 20, normal<T>(random, 500 * 20, 3)};
  one.choose(random);
  const results<T> made = computed(one, 1);
  std::vector<T> y(one.x.size());
  ASSERT_TRUE(log_softmax(executor::cpu{1}, one.view(), y.data()));
  for (std::size_t row = 0; row < 500; ++row)
    if (one.targets[row] != ignored) {
      EXPECT_EQ(as_bits(rounded_step<T>(-made.losses[row])),
                as_bits(y[row * 20 + std::size_t(one.targets[row])]));
    }
}

// ulps of dx, with the scale 1; `at`: of which element.
template <class T>
double worst_error(const trial<T>& given, const results<T>& made, bool losses) {
  std::vector<long double> values;
  for (const T one : given.x) values.push_back(step_value(one));
  const auto target = std::size_t(given.targets[0]);
  long double others = 0;  // the sum less the target's exponential, which is 1
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i != target) others += std::exp(values[i] - values[target]);
  const auto error_of = [](long double value, long double exact, int least, int bits) {
    const int field = std::max(exact == 0 ? -1000 : std::ilogb(exact), least + bits);
    return double(std::fabs(value - exact) / std::ldexp(1.0L, field - bits));
  };
  if (losses) return error_of(made.losses[0], std::log1p(others), -149, 23);
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long double exact =
        i == target ? -others / (1 + others) : std::exp(values[i] - values[target]) / (1 + others);
    worst = std::max(worst,
                     error_of(step_value(made.dx[i]), exact, ieee<T>::lsb, ieee<T>::fraction_bits));
  }
  return worst;
}

TYPED_TEST(cross_entropy_of, rows_is_within_the_bounds) {
  using T = TypeParam;
  constexpr bool wide = std::is_same_v<T, float>;
  constexpr double extra = wide ? 0x1p-4 : std::is_same_v<T, f16> ? 0x1p-11 : 0x1p-14;
  for (std::int64_t k = 0; k < 300; ++k) {
    random_source random = source_of(978, std::uint64_t(k));
    const double scales[] = {0.1, 1, 5, 10, 15};
    const auto n = std::int64_t(1 + random.below(k % 30 ? 300 : 20000));
    trial<T> one = {1, n, n, normal<T>(random, n, scales[k % 5])};
    one.choose(random);
    if (k % 3 == 0) one.x[random.below(one.x.size())] = chopped<T>(1 + 35 * random.unit());
    one.targets[0] = std::max<std::int64_t>(one.targets[0], 0), one.scales = {1}, one.smoothing = 0;
    if (k % 2 == 0) one.aim_at_the_largest(random);
    const results<T> made = computed(one, 1);
    EXPECT_LE(worst_error(one, made, false), 0.5 + extra) << one.text() << ", " << k;
    // 2^-22.3 of the loss are at most 2^1.7 ulp.
    EXPECT_LE(worst_error(one, made, true), wide ? 0.5 + 0x1.3bp-5 : 3.25)
        << one.text() << ", " << k;
  }
}

void expect(const status& why, status_code code, const char* part) {
  EXPECT_EQ(why.code(), code);
  EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
}

TEST(cross_entropy_refusals, of_the_losses_are_named) {
  std::vector<float> x(12), losses(3);
  std::vector<double> totals(9);
  std::int64_t targets[] = {0, 3, ignored};
  const std::vector<double> wide(12);
  const executor on = executor::cpu{1};
  const array_view rows(x.data(), dtype::f32, {{3, 16}, {4, 4}});
  const auto call = [&](const array_view& given, float* to, cross_entropy_options options = {}) {
    return cross_entropy(on, given, targets, to, options);
  };
  const auto mismatch = status_code::mismatch;
  expect(call(view<float>(x.data(), {12}), losses.data()), mismatch, "cross_entropy takes rows");
  expect(call({x.data(), dtype::i32, {{3, 16}, {4, 4}}}, losses.data()), mismatch, "floating");
  expect(call({wide.data(), dtype::f64, {{3, 32}, {4, 8}}}, losses.data()),
         status_code::unsupported, "f64");
  expect(call({x.data(), dtype::f32, {{4, 4}, {3, 16}}}, losses.data()), mismatch, "adjacent");
  expect(call({x.data(), dtype::f32, {{3, 16}, {0, 4}}}, losses.data()), mismatch, "no classes");
  expect(call(rows, x.data() + 9), mismatch, "overlaps");
  expect(call(rows, reinterpret_cast<float*>(targets + 1)), mismatch, "overlaps");
  expect(call(rows, losses.data(), {.totals = reinterpret_cast<double*>(x.data())}), mismatch,
         "overlaps");
  expect(call(rows, reinterpret_cast<float*>(totals.data() + 8), {.totals = totals.data()}),
         mismatch, "overlaps");
  const auto odd = [](auto* address) {
    return reinterpret_cast<decltype(address)>(reinterpret_cast<std::uintptr_t>(address) + 2);
  };
  expect(call(rows, odd(losses.data())), mismatch, "not aligned");
  expect(call(rows, losses.data(), {.totals = odd(totals.data())}), mismatch, "not aligned");
  expect(cross_entropy(on, rows, odd(targets), losses.data()), mismatch, "not aligned");
  for (const std::int64_t bad : {std::int64_t(4), std::int64_t(-1), std::int64_t(1) << 40}) {
    targets[1] = bad;
    expect(call(rows, losses.data()), mismatch, ("row 1 is " + std::to_string(bad)).c_str());
  }
  EXPECT_EQ(losses, std::vector<float>(3));
  EXPECT_TRUE(
      call(rows, losses.data(), {.ignore_index = std::int64_t(1) << 40, .totals = totals.data()})
          .message()
          .find("row 2 is -100") != std::string::npos);
  targets[1] = 2;
  EXPECT_TRUE(call(rows, losses.data(), {.totals = totals.data()}));
  EXPECT_TRUE(call({nullptr, dtype::f32, {{0, 16}, {4, 4}}}, nullptr));
  EXPECT_TRUE(call({nullptr, dtype::f32, {{0, 16}, {0, 4}}}, nullptr));
}

// A class may be the one that is ignored.
TEST(cross_entropy_of_a_class, that_is_ignored_is_zero) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const std::int64_t targets[] = {1, 2};
  float losses[2] = {7, 7};
  ASSERT_TRUE(cross_entropy(executor::cpu{1}, {x.data(), dtype::f32, {{2, 12}, {3, 4}}}, targets,
                            losses, {.ignore_index = 1}));
  EXPECT_EQ(losses[0], 0);
  EXPECT_GT(losses[1], 0);
}

TEST(cross_entropy_refusals, of_the_gradient_are_named) {
  std::vector<float> x(12), dx(12), scales(3);
  std::vector<double> totals(9);
  std::int64_t targets[] = {0, 4, 1};
  const executor on = executor::cpu{1};
  const auto view_of = [&](std::int64_t rows, std::int64_t stride) {
    return array_view(x.data(), dtype::f32, {{rows, 4 * stride}, {4, 4}});
  };
  const auto call = [&](const array_view& given, void* to) {
    return cross_entropy_backward(on, given, targets, scales.data(), totals.data(), to);
  };
  const auto mismatch = status_code::mismatch;
  expect(call(view_of(3, 4), dx.data()), mismatch, "row 1 is 4");
  targets[1] = 1;
  expect(call(view_of(3, 4), x.data() + 1), mismatch, "overlaps");
  expect(call(view_of(2, 5), x.data()), mismatch, "overlaps");
  expect(call(view_of(3, 4), targets), mismatch, "overlaps");
  expect(call(view_of(3, 4), totals.data() + 1), mismatch, "overlaps");
  expect(call(view_of(3, 4), scales.data() + 2), mismatch, "overlaps");
  expect(call({x.data(), dtype::f64, {{1, 32}, {4, 8}}}, dx.data()), status_code::unsupported,
         "f64");
  EXPECT_TRUE(call({nullptr, dtype::f32, {{0, 16}, {4, 4}}}, nullptr));
  EXPECT_TRUE(call(view_of(3, 4), x.data()));
  for (const double share : {-0.1, 1.5, std::nan("")})
    expect(cross_entropy_backward(on, view_of(3, 4), targets, scales.data(), totals.data(),
                                  dx.data(), {.label_smoothing = share}),
           mismatch, "not 0 to 1");
}

TEST(cross_entropy_stops, when_it_is_asked_to) {
  const std::vector<float> x(std::size_t(1) << 20);
  std::vector<float> dx(x.size());
  const std::int64_t target = 3;
  float loss = 0;
  const float scale = 1;
  double totals[3] = {0, 1, 0};
  std::stop_source source;
  source.request_stop();
  const array_view row(x.data(), dtype::f32, {{1, 4 << 20}, {1 << 20, 4}});
  expect(cross_entropy(executor::cpu{1}, row, &target, &loss, {.stop = source.get_token()}),
         status_code::cancelled, "");
  expect(cross_entropy_backward(executor::cpu{1}, row, &target, &scale, totals, dx.data(),
                                {.stop = source.get_token()}),
         status_code::cancelled, "");
}

}  // namespace
}  // namespace onefold::test
