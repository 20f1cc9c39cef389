// SPDX-License-Identifier: Apache-2.0
// The rungs that sum floats with care, where rounding happens: what is certified or made of
// integers has the bits of GMP's sum for every family of inputs, and the others stay below their
// bounds.

#include "ladder/reduce/errors.hpp"
#include "ladder/rung/rung.hpp"
#include "ladder/trial/try_rung.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace onefold::ladder::test {
namespace {

using onefold::test::as_bits;
using onefold::test::families;
using onefold::test::oracle;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

trial_options launch(std::size_t n, unsigned block = 64, unsigned max_grid = 2) {
  return {.n = n, .block = block, .type = element::float32, .max_grid = max_grid};
}

void expect_exact(const char* name, const std::vector<float>& values, const trial_options& options,
                  std::string_view where) {
  oracle<float> truth;
  truth.add(values.data(), std::int64_t(values.size()));
  EXPECT_EQ(as_bits(sum_by<float>(*find_rung(name), options, values)), truth.value())
      << "ONEFOLD_TEST_SEED=" << seed() << ": " << name << ", " << where << ", n " << values.size()
      << ", block " << options.block << ", " << to_string(options.order);
}

class exact_by : public testing::TestWithParam<const char*> {};

TEST_P(exact_by, gives_the_bits_of_the_true_sum_for_every_family) {
  const auto& all = families<float>();
  for (std::size_t index = 0; index < all.size(); ++index) {
    random_source random = source_of(11, index);
    for (const std::size_t n : {std::size_t(300), 3000 + random.below(600)}) {
      std::vector<float> values(n);
      all[index].fill(random, values.data(), n);
      expect_exact(GetParam(), values, launch(n, 32u << random.below(3)), all[index].name);
    }
  }
}

TEST_P(exact_by, knows_signed_zeros_infinities_nan_and_the_ends_of_the_range) {
  using limits = std::numeric_limits<float>;
  // Of nothing it is a zero of either sign: the identity of the rungs before is -0.
  EXPECT_EQ(sum_by<float>(*find_rung(GetParam()), launch(0), {}), 0);
  const std::vector<float> zeros(700, -0.0f);
  expect_exact(GetParam(), zeros, launch(zeros.size()), "negative zeros");
  for (const float x : {0.0f, limits::infinity(), limits::quiet_NaN(), limits::max(),
                        limits::denorm_min(), -limits::denorm_min(), limits::min()}) {
    auto values = zeros;
    values[600] = x;
    expect_exact(GetParam(), values, launch(values.size()), "zeros and one other");
    values[1] = x;
    expect_exact(GetParam(), values, launch(values.size()), "zeros and two others");
    values[2] = -values[1] / 2;
    expect_exact(GetParam(), values, launch(values.size()), "zeros, two others, half of one less");
  }
}

TEST_P(exact_by, gives_the_same_bits_in_every_schedule_from_every_grid) {
  random_source random = source_of(12, 0);
  std::vector<float> values(2500);
  for (float& x : values) x = float(std::ldexp(random.normal(), random.between(-20, 20)));
  for (const unsigned block : {32u, 256u}) {
    for (const unsigned grid : {1u, 3u}) {
      for (const simt::schedule order : simt::all_schedules) {
        trial_options options = launch(values.size(), block, grid);
        options.order = order;
        expect_exact(GetParam(), values, options, "one sum");
      }
    }
  }
}

// Ties of two neighbours' middle, and what decides them far below.
TEST_P(exact_by, rounds_ties_to_even) {
  for (const float half : {0x1p-24f, -0x1p-24f, 0x1.8p-23f}) {
    for (const float decides : {0.0f, 0x1p-60f, -0x1p-60f, 0x1p-120f, -0x1p-120f}) {
      std::vector<float> values(64, 0.0f);
      values[3] = 1, values[40] = half, values[63] = decides;
      expect_exact(GetParam(), values, launch(values.size()), "a tie");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ladder, exact_by, testing::Values("reduce/interval", "reduce/integers"),
                         [](const auto& chosen) { return std::string(chosen.param).substr(7); });

// Higham's bound of a tree, with the levels of lanes, block and grid; Ogita, Rump and Oishi's of
// Sum2.
TEST(careful_sums, stay_below_their_bounds) {
  constexpr double u = 0x1p-24;
  for (std::uint64_t trial = 0; trial < 20; ++trial) {
    random_source random = source_of(13, trial);
    const std::size_t n = 500 + random.below(4000);
    std::vector<float> values(n);
    double exact = 0, magnitude = 0;  // 53 bits hold the sums of these floats
    for (float& x : values) {
      x = float(std::ldexp(double(random.between(-1 << 20, 1 << 20)), random.between(-6, 0)));
      exact += x, magnitude += std::fabs(x);
    }
    const trial_options options = launch(n, 1u << random.below(8), 3);
    const double levels = std::log2(double(n)) + 6;
    const auto error = [&](const char* name) {
      return std::fabs(double(sum_by<float>(*find_rung(name), options, values)) - exact);
    };
    EXPECT_LE(error("reduce/pairwise"), levels * u * magnitude * 1.01) << seed() << " " << trial;
    EXPECT_LE(error("reduce/kahan"),
              u * std::fabs(exact) + double(n) * double(n) * u * u * magnitude)
        << seed() << " " << trial;
  }
}

TEST(shuffled_sums, change_with_the_order_unless_they_are_exact) {
  const shuffled_table table = usual_shuffled_sums();
  ASSERT_EQ(table.rows.size(), shuffled_methods.size());
  for (const shuffled_sum& row : table.rows) {
    const bool exact = row.rung == "reduce/interval" || row.rung == "reduce/integers" ||
                       row.rung == "reduce/exact";
    if (exact) {
      EXPECT_EQ(row.answers, 1u) << row.rung;
      EXPECT_EQ(row.largest_ulps, 0) << row.rung;
    } else if (row.rung != "reduce/kahan") {
      EXPECT_GT(row.answers, 1u) << row.rung;
      EXPECT_GT(row.largest_ulps, 0) << row.rung;
    }
  }
}

// Where the interval holds a boundary of rounding the exact kernel reads the input once more.
TEST(the_interval, asks_the_fallback_where_it_is_ambiguous) {
  std::vector<float> values(512, 0.0f);
  values[0] = 1, values[100] = 0x1p-24f, values[511] = 0x1p-120f;
  EXPECT_EQ(sum_by<float>(*find_rung("reduce/interval"), launch(512), values), 1 + 0x1p-23f);
}

}  // namespace
}  // namespace onefold::ladder::test
