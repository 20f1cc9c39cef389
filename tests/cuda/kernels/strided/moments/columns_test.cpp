// SPDX-License-Identifier: Apache-2.0
// Variances and deviations of columns, in one part and in several, under the executor.
#include <gtest/gtest.h>

#include "cuda/kernels/strided/finish_trial.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::source_of;

// Of x[outer][n][inner], or with rows further apart.
strided_request columns_of(random_source& random, dtype input, std::int64_t n,
                           std::int64_t most_inner) {
  strided_request request;
  request.accumulator = accumulator::moments, request.input = input,
  request.x_kind = request.y_kind = kind_of(input);
  const auto width = std::int64_t(size_bytes(input));
  request.items = request.piece_items = n;
  const std::int64_t outer = random.between(1, 3), inner = random.between(1, most_inner);
  const std::int64_t row = (inner + (random.one_in(2) ? random.between(0, 3) : 0)) * width;
  request.outputs = outer * inner, request.axes.kept = 2, request.axes.all = 3,
  request.aligned = true;
  request.axes.axis[0] = {outer, n * row, 0, 0}, request.axes.axis[1] = {inner, width, 0, 0};
  request.axes.axis[2] = {n, row, 0, 0};
  return request;
}

void check_columns(random_source& random, strided_request request, const std::vector<std::byte>& x,
                   std::int64_t parts, std::int64_t exact_items, std::uint64_t k) {
  simt::device gpu;
  request.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
  finish_trial(random, request, parts, exact_items)
      .check(gpu, some_grid(random),
             place_of(k) + std::to_string(request.axes.axis[0].extent) + " x " +
                 std::to_string(request.items) + " x " +
                 std::to_string(request.axes.axis[1].extent) + " " +
                 std::string(name(request.input)) + " in " + std::to_string(parts) +
                 " parts, exact ones of " + std::to_string(exact_items));
}

TEST(moments_of_columns, are_those_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(240, 120)) && !testing::Test::HasFailure();
       ++k) {
    random_source random = source_of(3500, k);
    const std::int64_t n = random.one_in(4) ? random.between(100, 700) : random.between(1, 40);
    const strided_request request = columns_of(random, floats[k % 3], n, 70);
    std::vector<std::byte> x(
        std::size_t(request.axes.axis[0].extent * request.axes.axis[0].x_bytes));
    with_type(request.input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) fill_rows<T>(random, x);
    });
    std::int64_t parts = random.between(1, std::min<std::int64_t>(n, 9));
    if (random.one_in(3))  // blocks join parts, of which some have no element
      parts =
          joined_parts(random.between(parts, 150), request.axes.axis[1].extent, strided_threads);
    const bool shares = parts > 1 && random.one_in(2);
    check_columns(random, request, x, parts, shares ? random.between(1, n) : 0, k);
  }
}

// A few of a column's elements are far away, the first among them: then the interval is wide.
// Others are integers of few digits, whose variance is often halfway between two answers.
template <class T>
void fill_ambiguous(random_source& random, std::vector<std::byte>& to, std::int64_t row) {
  const bool integers = random.one_in(3);
  const double centre = random.one_in(2) ? 0 : 0x1p20, far = random.one_in(2) ? 0x1p40 : 0x1p14;
  const auto few = random.between(1, 40);
  for (std::size_t i = 0; i + sizeof(T) <= to.size(); i += sizeof(T)) {
    double x = random.normal() + centre;
    if (integers) x = random.one_in(2) ? double(few) : -double(few);
    if (!integers && (std::int64_t(i) < row || random.one_in(300))) x *= far;
    if (random.one_in(20'000)) x = random.one_in(2) ? INFINITY : NAN;
    const T item = onefold::test::chopped<T>(x);
    std::memcpy(to.data() + i, &item, sizeof item);
  }
}

TEST(moments_of_columns, ambiguous_ones_are_shared) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(90, 45)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3510, k);
    const std::int64_t n = random.between(2, 500);
    const strided_request request = columns_of(random, floats[k % 3], n, 9);
    std::vector<std::byte> x(
        std::size_t(request.axes.axis[0].extent * request.axes.axis[0].x_bytes));
    with_type(request.input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>)
        fill_ambiguous<T>(random, x, request.axes.axis[2].x_bytes);
    });
    std::int64_t parts = random.between(2, 9);
    if (random.one_in(3)) parts = joined_parts(128, request.axes.axis[1].extent, strided_threads);
    check_columns(random, request, x, parts, random.between(1, n), k);
  }
}

// A column of a lane alone.
TEST(moments_of_columns, ambiguous_ones_of_lanes_are_those_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(60, 30)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3520, k);
    const std::int64_t n = random.one_in(2) ? 2 : random.between(3, 40);
    const strided_request request = columns_of(random, floats[k % 3], n, 70);
    std::vector<std::byte> x(
        std::size_t(request.axes.axis[0].extent * request.axes.axis[0].x_bytes));
    with_type(request.input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) {
        if (random.one_in(2))
          fill_halfway<T>(random, x);
        else
          fill_ambiguous<T>(random, x, request.axes.axis[2].x_bytes);
      }
    });
    check_columns(random, request, x, 1, 0, k);
  }
}

}  // namespace
}  // namespace onefold::cuda::test
