// SPDX-License-Identifier: Apache-2.0
// Logarithms of exponentials of rows, under the executor: the bits of the host's states.
#include "cuda/kernels/strided/exponentials/exponential_rows.hpp"

#include <gtest/gtest.h>

#include "cuda/kernels/strided/exponentials/families.hpp"
#include "cuda/kernels/strided/finish_trial.hpp"
#include "cuda/kernels/strided/kernels.hpp"
#include "state/exponential.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::source_of;

strided_request rows_of(dtype type, std::int64_t count, std::int64_t n, std::int64_t apart) {
  const auto width = std::int64_t(size_bytes(type));
  strided_request made;
  made.accumulator = accumulator::exponentials, made.input = type, made.x_kind = kind_of(type);
  made.aligned = true, made.items = made.piece_items = n;
  made.outputs = count, made.axes.kept = 1, made.axes.all = 2, made.finish.size = 1;
  made.finish.answers[0].type = type;
  made.axes.axis[0] = {count, apart * width, 0, 0}, made.axes.axis[1] = {n, width, 0, 0};
  return made;
}

TEST(exponential_rows, are_contiguous_ones_of_floats) {
  EXPECT_TRUE(exponential_rows_of(rows_of(dtype::f32, 9, 1025, 1025)));
  EXPECT_TRUE(exponential_rows_of(rows_of(dtype::f64, 9, 8, 9)));
  EXPECT_FALSE(exponential_rows_of(rows_of(dtype::i8, 9, 8, 8)));
  strided_request other = rows_of(dtype::f32, 9, 8, 8);
  other.finish.size = 0;
  EXPECT_FALSE(exponential_rows_of(other)) << "states are asked for";
  other = rows_of(dtype::f32, 9, 8, 8), other.finish.answers[0].type = dtype::f64;
  EXPECT_FALSE(exponential_rows_of(other)) << "plain sums certify no double";
}

// The trial of random rows of some type.
struct rows_trial {
  std::vector<std::byte> x;
  strided_request request;
  std::string text;
};
rows_trial make_rows(random_source& random, dtype input, std::int64_t n, std::int64_t count) {
  const std::int64_t apart = n + (random.one_in(3) ? random.between(1, 9) : 0);
  rows_trial made = {std::vector<std::byte>(std::size_t(count * apart) * size_bytes(input)),
                     rows_of(input, count, n, apart),
                     std::to_string(count) + " rows of " + std::to_string(n) + ", " +
                         std::to_string(apart) + " apart, of " + std::string(name(input))};
  fill_exponents(random, input, made.x, apart);
  return made;
}

void check(random_source& random, rows_trial made, std::uint64_t k) {
  simt::device gpu;
  made.request.x = gpu.memory().copy(std::span<const std::byte>(made.x), "x");
  finish_trial trial(random, made.request);
  if (!random.one_in(3)) trial.in_own_type();
  trial.check(gpu, some_grid(random), place_of(k) + made.text);
}

TEST(exponential_rows, write_the_answers_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(60, 30)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3702, k);
    const std::int64_t n =
        random.one_in(2) ? std::int64_t(1) << random.between(0, 11) : random.between(1, 1300);
    const std::int64_t count = n < 40 ? random.between(1, 200) : random.between(1, 9);
    check(random, make_rows(random, floats[k % 4], n, count), k);
  }
}

TEST(exponential_rows, of_every_short_length) {
  constexpr std::uint64_t longest = 34;
  for (std::uint64_t k = 0; k < 2 * longest && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3704, k);
    check(random, make_rows(random, floats[k % 4], std::int64_t(1 + k / 2), random.between(1, 70)),
          k);
  }
}

// A float whose exponential is at most a number, and not much less.
float below(long double number) {
  auto x = float(std::log(number));
  while (detail::exponential(x) > number) x = std::nextafter(x, -HUGE_VALF);
  return x;
}

// Rows whose logarithms lie next to a tie of neighbouring floats: each element takes what those
// before it have left of the tie's exponential. The short logarithm alone is on the wrong side of
// some.
TEST(exponential_rows, next_to_ties_need_their_interval) {
  constexpr std::int64_t n = 4, count = 1000;
  random_source random = source_of(3705, 0);
  std::vector<float> x;
  for (std::int64_t row = 0; row < count; ++row) {
    const auto some = float(8 + 8 * random.unit());
    const long double tie = ((long double)some + std::nextafter(some, 100.F)) / 2;
    long double left = std::exp(tie);
    x.push_back(float(tie - 0.1 - 3 * random.unit()));
    for (std::int64_t i = 1; i < n; ++i) {
      left -= detail::exponential(x.back());
      x.push_back(below(left));
    }
  }
  strided_request request = rows_of(dtype::f32, count, n, n);
  simt::device gpu;
  request.x = gpu.memory().copy(std::as_bytes(std::span<const float>(x)), "x");
  auto* const got = gpu.memory().allocate<float>(count, "answers");
  request.finish.answers[0].to = got;
  const auto wrong = [&](bool certain) {
    launch_exponential_rows(gpu, {.grid = {2}, .block = {strided_threads}}, request, certain);
    int found = 0;
    for (std::int64_t row = 0; row < count; ++row) {
      float wanted;
      finish_answer(request, row, request.finish.answers[0], &wanted);
      found += wanted != got[row];
    }
    return found;
  };
  EXPECT_EQ(wrong(false), 0);
  EXPECT_GT(wrong(true), 0) << "a mutant without an interval";
}

}  // namespace
}  // namespace onefold::cuda::test
