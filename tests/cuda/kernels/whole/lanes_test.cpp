// SPDX-License-Identifier: Apache-2.0
// Sums of f32 and f16 in lanes of float32: the words of the state, for every family, at every edge
// of a window; and no check of the cascade too many.

#include <cmath>
#include <limits>

#include "cuda/kernels/whole/whole_runs.hpp"
#include "support/factors.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

using reduced = onefold::accumulator;

template <class T>
class cuda_float_lanes : public testing::Test {
 public:
  static way_counts check(reduced answers, const std::vector<T>& x, const launch_shape& shape,
                          const std::string& where) {
    const whole_run run = run_whole(float_lanes_kernel(answers, dtype_of<T>), x, x, shape);
    EXPECT_EQ(run.words, state_of(answers, x, x))
        << "ONEFOLD_TEST_SEED=" << seed() << ": " << name(dtype_of<T>) << ", " << where
        << ", n = " << x.size() << ", grid " << shape.blocks << " x " << shape.threads
        << ", offset " << shape.x_offset;
    return run.ways;
  }
  static std::size_t tile() {
    return std::size_t(float_lanes_kernel(reduced::total, dtype_of<T>).tile_items);
  }
};

using narrow_types = testing::Types<float, f16>;
TYPED_TEST_SUITE(cuda_float_lanes, narrow_types);

TYPED_TEST(cuda_float_lanes, give_the_words_of_the_state_for_every_family) {
  for (const reduced kind : {reduced::total, reduced::magnitudes}) {
    for (std::size_t index = 0; index < families<TypeParam>().size(); ++index) {
      const auto& family = families<TypeParam>()[index];
      random_source random = source_of(40 + std::uint64_t(kind), index);
      std::vector<TypeParam> x(this->tile() * 5 + random.below(100));
      family.fill(random, x.data(), x.size());
      this->check(kind, x, {unsigned(random.between(1, 2)), 32}, std::string(family.name));
    }
  }
}

TYPED_TEST(cuda_float_lanes, take_every_length_and_offset_on_every_grid) {
  random_source random = source_of(42, 0);
  const std::size_t tile = this->tile();
  for (const std::size_t n : {std::size_t(0), std::size_t(1), tile - 1, tile, tile + 1, 3 * tile}) {
    for (const unsigned blocks : {1u, 3u}) {
      std::vector<TypeParam> x(n);
      for (TypeParam& element : x) element = chopped<TypeParam>(random.normal());
      const int offset = random.between(0, int(16 / sizeof(TypeParam)) - 1);
      this->check(reduced::total, x, {blocks, 64, offset}, "lengths");
    }
  }
}

// Two tiles, taken twice.
TEST(cuda_float_lanes_paths, of_every_finite_f16_are_fast) {
  for (const auto& family : families<f16>()) {
    if (!family.finite) continue;
    random_source random = source_of(43, 0);
    std::vector<f16> x(2 * cuda_float_lanes<f16>::tile());
    family.fill(random, x.data(), x.size());
    const way_counts ways = cuda_float_lanes<f16>::check(reduced::total, x, {1, 32}, "one window");
    EXPECT_EQ(ways.slow_ranges, 0u) << family.name;
    EXPECT_EQ(ways.fast_tiles, 4u) << family.name;
  }
  // The largest; and halves of the first level's unit, which the second gets four of in a chain.
  for (const std::uint16_t bits : {0x7BFF, 0xFBFF, 0x2C00, 0xAC00}) {
    const std::vector<f16> same(2 * cuda_float_lanes<f16>::tile(), f16{bits});
    const way_counts ways =
        cuda_float_lanes<f16>::check(reduced::total, same, {1, 32}, "one value");
    EXPECT_EQ(ways.fast_tiles, 4u) << bits;
  }
}

TEST(cuda_float_lanes_paths, of_ordinary_f32_are_fast) {
  for (const char* name : {"uniform", "normal", "integers", "subnormal"}) {
    for (const auto& family : families<float>()) {
      if (family.name != name) continue;
      random_source random = source_of(44, 0);
      std::vector<float> x(12 * cuda_float_lanes<float>::tile());
      family.fill(random, x.data(), x.size());
      const way_counts ways = cuda_float_lanes<float>::check(reduced::total, x, {1, 32}, name);
      EXPECT_GE(ways.fast_tiles, 22u) << name;
    }
  }
}

/// A tile of ones, and one element of another magnitude with a last bit.
way_counts beside_ones(int exponent) {
  std::vector<float> x(4 * cuda_float_lanes<float>::tile(), 1.0f);
  for (std::size_t i = 5; i < x.size(); i += 100)
    x[i] = std::ldexp(1 + std::numeric_limits<float>::epsilon(), exponent);
  return cuda_float_lanes<float>::check(reduced::total, x, {1, 32}, "spread");
}

// 24 bits beside a one fit down to 2^-37; one more is a bit below the last level's unit. The window
// is opened for the largest element.
TEST(cuda_float_lanes_paths, reach_as_far_as_the_three_levels) {
  for (const int exponent : {-1, -20, -36, -37}) EXPECT_EQ(beside_ones(exponent).binned_ranges, 0u);
  for (const int exponent : {-38, -60, -126}) EXPECT_GT(beside_ones(exponent).binned_ranges, 0u);
}

// At the lowest window every term is a multiple of its unit; at the highest there is none to open.
TEST(cuda_float_lanes_paths, end_where_the_exponents_do) {
  std::vector<float> x(2 * cuda_float_lanes<float>::tile());
  for (const int exponent : {-149, -140, -126, 121}) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(i % 3 == 0 ? -1.0f : 1, exponent);
    EXPECT_EQ(cuda_float_lanes<float>::check(reduced::total, x, {1, 32}, "ends").slow_ranges, 0u)
        << exponent;
  }
  for (const int exponent : {123, 127}) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(i % 3 == 0 ? -1.0f : 1, exponent);
    EXPECT_EQ(cuda_float_lanes<float>::check(reduced::total, x, {1, 32}, "ends").fast_tiles, 0u)
        << exponent;
  }
}

// Random patterns of few exponents, at every place of the range.
TEST(cuda_float_lanes_paths, give_the_words_wherever_a_window_is) {
  for (int least = -149; least <= 100; least += 7) {
    random_source random = source_of(45, std::uint64_t(least + 200));
    std::vector<float> x(2 * cuda_float_lanes<float>::tile() + 7);
    for (float& element : x) {
      const float fraction = float(random.below(1 << 24)) * (random.one_in(2) ? 1 : -1);
      element = std::ldexp(fraction, least - 23 + random.between(0, 24));
    }
    cuda_float_lanes<float>::check(reduced::total, x, {1, 32}, "everywhere");
  }
}

// Residuals of one sign, half a unit of a level each: a vector of them reaches the level's end.
void fill_second_level(random_source&, float* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = i < 4 ? 1.5f : 0x1p-19f * 0.75f;
}
void fill_grown(random_source&, float* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = i < 512 ? 1 : 0x1p14f + float(i);
}

template <class T>
int wrong_of(const char* without, void (*fill)(random_source&, T*, std::size_t)) {
  const whole_kernel kernel = float_lanes_kernel(reduced::total, dtype_of<T>, without);
  int wrong = 0;
  for (std::uint64_t k = 0; k < 12; ++k) {
    random_source random = source_of(46, k);
    std::vector<T> x(std::size_t(kernel.tile_items) * 6 + 3);
    fill(random, x.data(), x.size());
    const whole_run run = run_whole(kernel, x, x, {1, 32}, true);
    wrong += !run.sound || run.words != state_of(reduced::total, x, x);
  }
  return wrong;
}

template <class T>
auto family_called(const char* name) {
  for (const auto& family : families<T>())
    if (family.name == name) return family.fill;
  return decltype(families<T>()[0].fill)();
}

template <class T>
void expect_needed(const char* check, const char* family,
                   void (*fill)(random_source&, T*, std::size_t)) {
  ASSERT_NE(fill, nullptr) << family;
  const int wrong = wrong_of<T>(check, fill);
  std::printf("  %-4s without %-10s %2d of 12 arrays of \"%s\" come out wrong\n",
              name(dtype_of<T>).data(), check, wrong, family);
  EXPECT_GT(wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": " << check << ", " << family;
  EXPECT_EQ(wrong_of<T>("nothing", fill), 0) << family;
}

TEST(cuda_float_lanes_mutation, of_every_check_is_caught_by_the_family_that_is_there_for_it) {
  expect_needed<float>("binade", "grown", fill_grown);
  expect_needed<float>("residual", "exponents in +-100",
                       family_called<float>("exponents in +-100"));
  expect_needed<float>("rollback", "exponents in +-100",
                       family_called<float>("exponents in +-100"));
  expect_needed<float>("clamp", "subnormal", family_called<float>("subnormal"));
  expect_needed<float>("tile", "second level", fill_second_level);
  expect_needed<f16>("rollback", "infinities and NaN", family_called<f16>("infinities and NaN"));
}

}  // namespace
}  // namespace onefold::test
