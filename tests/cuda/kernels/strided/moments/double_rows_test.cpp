// SPDX-License-Identifier: Apache-2.0
// Moments of rows of f64 by anchored sums, under the executor: data of each path, and of none.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/kernels/strided/finish_trial.hpp"
#include "cuda/kernels/strided/kernels.hpp"
#include "cuda/kernels/strided/moments/moment_rows.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::source_of;

strided_request request_of(std::int64_t rows, std::int64_t n) {
  strided_request request;
  request.accumulator = accumulator::moments, request.input = dtype::f64,
  request.x_kind = request.y_kind = kind_of(request.input);
  request.items = request.piece_items = n, request.outputs = rows, request.aligned = true;
  request.axes.kept = 1, request.axes.all = 2;
  request.axes.axis[0] = {rows, n * 8, 0, 0}, request.axes.axis[1] = {n, 8, 0, 0};
  return request;
}

double between(random_source& random, double low, double high) {
  return low + (high - low) * (double(random() >> 11) * 0x1p-53);
}
double of_size(random_source& random, int least, int most) {  // 2^least to 2^(most + 1)
  const double x = std::ldexp(between(random, 1, 2), int(random.between(least, most)));
  return random.one_in(2) ? x : -x;
}

struct family {
  const char* name;
  double (*element)(random_source& random, double centre);
};
constexpr family families[] = {
    {"normal", [](random_source& random, double) { return of_size(random, -3, 1); }},
    {"far from zero",
     [](random_source& random, double centre) { return centre * (1 + between(random, 0, 1e-9)); }},
    {"ulps apart",
     [](random_source& random, double centre) {
       return centre + std::ldexp(double(random.below(4)), std::ilogb(centre) - 52);
     }},
    {"equal", [](random_source&, double centre) { return centre; }},
    {"integers",
     [](random_source& random, double) { return double(random.between(-3000000, 3000000)); }},
    {"odd squares",  // of 54 bits: sums that are ties
     [](random_source& random, double) {
       return double(2 * random.between(50000000, 60000000) + 1);
     }},
    {"near with some far",  // the shift suits most of a row
     [](random_source& random, double centre) {
       return random.one_in(9) ? of_size(random, -40, 3) : centre * (1 + between(random, 0, 1e-7));
     }},
    {"near a binade's end",
     [](random_source& random, double) { return between(random, 1 - 0x1p-30, 1 + 0x1p-29); }},
    {"small", [](random_source& random, double) { return of_size(random, -560, -440); }},
    {"one and small",
     [](random_source& random, double) {
       return random.one_in(3) ? double(random.below(3)) : of_size(random, -560, -470);
     }},
    {"subnormal", [](random_source& random, double) { return of_size(random, -1074, -1020); }},
    {"large", [](random_source& random, double) { return of_size(random, 480, 540); }},
    {"largest", [](random_source& random, double) { return of_size(random, 1000, 1022); }},
    {"cancelling",
     [](random_source& random, double centre) {
       return (random.one_in(2) ? centre : -centre) + of_size(random, -60, -50);
     }},
    {"zeros", [](random_source& random,
                 double) { return random.one_in(2) ? -0.0 : 0.0 * of_size(random, 0, 1); }},
    {"not finite",
     [](random_source& random, double) {
       return random.one_in(5) ? (random.one_in(2) ? HUGE_VAL : std::nan(""))
                               : of_size(random, 0, 1);
     }},
    {"any bits", [](random_source& random, double) { return std::bit_cast<double>(random()); }},
};

std::int64_t some_length(random_source& random) {
  switch (random.below(4)) {
  case 0:
    return random.between(1, 4);
  case 1:
    return random.between(1, 70);
  case 2:
    return std::int64_t(1) << random.between(1, 8);
  default:  // about one tile, and several
    return 512 * random.between(1, 2) + random.between(-3, 3);
  }
}

TEST(moments_of_double_rows, are_those_of_the_host) {
  std::uint64_t k = 0;
  for (int round = 0; round < cases(6, 2); ++round)
    for (const family& each : families) {
      random_source random = source_of(3700, k++);
      std::int64_t n = some_length(random);
      if (&each >= families + 8) n = std::min<std::int64_t>(n, 40);  // limbs take the executor long
      const std::int64_t rows = n < 20 ? random.between(1, 40) : random.between(1, 4);
      std::vector<double> x;
      for (std::int64_t r = 0; r < rows; ++r) {
        const double centre = between(random, 1, 2e9);
        for (std::int64_t i = 0; i < n; ++i) x.push_back(each.element(random, centre));
      }
      simt::device gpu;
      strided_request request = request_of(rows, n);
      request.x =
          reinterpret_cast<const std::byte*>(gpu.memory().copy(std::span<const double>(x), "x"));
      simt::launch_config grid = some_grid(random);
      grid.step_budget = std::uint64_t(1) << 24;
      finish_trial(random, request)
          .check(gpu, grid,
                 place_of(k - 1) + each.name + ", " + std::to_string(rows) + " rows of " +
                     std::to_string(n));
      if (testing::Test::HasFailure()) return;
    }
}

std::vector<double> answers_of(const std::vector<double>& x, std::int64_t n, op op,
                               double_row_mutant mutant = double_row_mutant::none) {
  simt::device gpu;
  strided_request request = request_of(std::int64_t(x.size()) / n, n);
  request.x =
      reinterpret_cast<const std::byte*>(gpu.memory().copy(std::span<const double>(x), "x"));
  auto* const answers = gpu.memory().allocate<double>(std::size_t(request.outputs), "answers");
  request.finish.size = 1, request.finish.answers[0] = {answers, op, dtype::f64};
  launch_double_rows(gpu, {.grid = {1}, .block = {strided_threads}}, request, mutant);
  for (const auto& finding : gpu.report())  // as finish_trial
    if (finding.text().find("uninitialised: include/onefold/") != 0)
      ADD_FAILURE() << finding.text();
  return {answers, answers + request.outputs};
}

// The square of an odd number of 54 bits is a tie, which rounds downward; with anything more it
// rounds upward.
TEST(moments_of_double_rows, need_the_errors_of_their_sums) {
  constexpr double odd = 100000001, below = odd * odd;
  for (const double small : {0x1p-20, 0x1p-40, 0x1p-300, 0x1p-540, 0x1p-1074}) {
    const std::vector<double> x = {odd, small, 0, 0};
    EXPECT_EQ(answers_of(x, 4, op::sumsq)[0], below + 2) << small;
  }
  EXPECT_EQ(answers_of({odd, 0, 0, 0}, 4, op::sumsq)[0], below);
  EXPECT_EQ(answers_of({odd, 0x1p-540, 0, 0}, 4, op::sumsq, double_row_mutant::no_errors)[0], below)
      << "a mutant that takes sums for exact";
}

// The first element and the last one are near each other, the others are not.
TEST(moments_of_double_rows, need_exact_distances) {
  random_source random = source_of(3710, 0);
  std::vector<double> x, wanted;
  for (int r = 0; r < 64; ++r) {
    exact_moments<double> sums;
    for (int i = 0; i < 4; ++i) {
      x.push_back(i % 3 == 0 ? 1 + i * 0x1p-30 : of_size(random, -30, -2));
      sums.add(x.back());
    }
    wanted.push_back(sums.variance());
  }
  EXPECT_EQ(answers_of(x, 4, op::var), wanted);
  EXPECT_NE(answers_of(x, 4, op::var, double_row_mutant::far_distances), wanted)
      << "a mutant that takes distances for exact";
}

TEST(moments_of_double_rows, are_zero_of_equal_elements_alone) {
  for (const double x : {0.1, -1e300, 0x1p-1074, 0.0}) {
    const double next = std::nextafter(x, 2.0);
    exact_moments<double> sums;
    for (const double each : {x, x, next, x}) sums.add(each);
    EXPECT_EQ(answers_of({x, x, x, x}, 4, op::var)[0], 0) << x;
    EXPECT_EQ(answers_of({x, x, next, x}, 4, op::stddev)[0], sums.deviation()) << x;
  }
}

// Only the exact sums see what is 2^-200 beside a tie.
TEST(moments_of_double_rows, near_a_tie_are_summed_exactly) {
  constexpr double m = 100000001, below = m * m;
  for (const double small : {0x1p-10, 0x1p-60, 0x1p-100, 0x1p-300}) {
    // The sum is zero, that of squares 2 m^2 + 2 small^2.
    EXPECT_EQ(answers_of({m, -m, small, -small}, 4, op::var)[0], (below + 2) / 2) << small;
    EXPECT_EQ(answers_of({m, -m, 0, 0}, 4, op::var)[0], below / 2);
  }
  // n B - A^2 = 3 odd^2 - 2 odd small + 3 small^2: the error of A decides.
  constexpr std::int64_t odd = 60000001, w = 3 * odd * odd;
  for (const double small : {0x1p-60, 0x1p-200}) {
    const double x = odd;
    EXPECT_EQ(answers_of({x, small, 0, 0}, 4, op::var)[0], double(w - 1) / 16) << small;
    EXPECT_EQ(answers_of({x, -small, 0, 0}, 4, op::var)[0], double(w + 1) / 16) << small;
  }
}

}  // namespace
}  // namespace onefold::cuda::test
