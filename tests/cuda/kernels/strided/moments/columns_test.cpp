// SPDX-License-Identifier: Apache-2.0
// Variances and deviations of columns, in one part and in several, under the executor.
#include <gtest/gtest.h>

#include "cuda/kernels/strided/finish_trial.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::source_of;

column_trial columns_of(random_source& random, dtype input, std::int64_t n,
                        std::int64_t most_inner) {
  return {random, accumulator::moments, input, n, most_inner};
}

void check_columns(random_source& random, column_trial trial, const std::vector<std::byte>& x,
                   std::int64_t most_parts, bool shares, std::uint64_t k) {
  simt::device gpu;
  strided_request& request = trial.request;
  request.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
  const column_parts lanes = trial.lanes(random, most_parts);
  const std::int64_t exact_items =
      shares && lanes.count() > 1 ? random.between(1, request.items) : 0;
  finish_trial(random, request, lanes, exact_items)
      .check(gpu, some_grid(random),
             place_of(k) + text_of(lanes) + " " + std::string(name(request.input)) +
                 ", exact ones of " + std::to_string(exact_items));
}

TEST(moments_of_columns, are_those_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(240, 120)) && !testing::Test::HasFailure();
       ++k) {
    random_source random = source_of(3500, k);
    const std::int64_t n = random.one_in(4) ? random.between(100, 700) : random.between(1, 40);
    const column_trial trial = columns_of(random, floats[k % 3], n, 70);
    const dtype input = trial.request.input;
    std::vector<std::byte> x(std::size_t(trial.elements) * size_bytes(input));
    with_type(input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) fill_rows<T>(random, x);
    });
    check_columns(random, trial, x, 9, random.one_in(2), k);
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
    const column_trial trial = columns_of(random, floats[k % 3], n, 9);
    const dtype input = trial.request.input;
    std::vector<std::byte> x(std::size_t(trial.elements) * size_bytes(input));
    with_type(input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>)
        fill_ambiguous<T>(random, x, trial.request.axes.axis[1].extent * std::int64_t(sizeof(T)));
    });
    check_columns(random, trial, x, 9, true, k);
  }
}

// A column of a lane alone.
TEST(moments_of_columns, ambiguous_ones_of_lanes_are_those_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(60, 30)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3520, k);
    const std::int64_t n = random.one_in(2) ? 2 : random.between(3, 40);
    const column_trial trial = columns_of(random, floats[k % 3], n, 70);
    const dtype input = trial.request.input;
    std::vector<std::byte> x(std::size_t(trial.elements) * size_bytes(input));
    with_type(input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) {
        if (random.one_in(2))
          fill_halfway<T>(random, x);
        else
          fill_ambiguous<T>(random, x, trial.request.axes.axis[1].extent * std::int64_t(sizeof(T)));
      }
    });
    check_columns(random, trial, x, 1, false, k);
  }
}

}  // namespace
}  // namespace onefold::cuda::test
