// SPDX-License-Identifier: Apache-2.0
// Variances and deviations of columns, in one part and in several, under the executor.
#include <gtest/gtest.h>

#include "cuda/nested/finish_trial.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::source_of;

// Of x[outer][n][inner], or with rows further apart.
TEST(moments_of_columns, are_those_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(240, 120)) && !testing::Test::HasFailure();
       ++k) {
    random_source random = source_of(3500, k);
    nested_request of;
    of.of = accumulator::moments, of.input = floats[k % 3],
    of.x_kind = of.y_kind = kind_of(of.input);
    const auto width = std::int64_t(size_bytes(of.input));
    of.items = of.piece_items = random.one_in(4) ? random.between(100, 700) : random.between(1, 40);
    const std::int64_t outer = random.between(1, 3), inner = random.between(1, 70);
    const std::int64_t row = (inner + (random.one_in(2) ? random.between(0, 3) : 0)) * width;
    of.outputs = outer * inner, of.axes.kept = 2, of.axes.all = 3, of.aligned = true;
    of.axes.axis[0] = {outer, of.items * row, 0, 0}, of.axes.axis[1] = {inner, width, 0, 0};
    of.axes.axis[2] = {of.items, row, 0, 0};
    std::vector<std::byte> x(std::size_t(outer * of.items * row));
    with_type(of.input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) fill_rows<T>(random, x);
    });
    simt::device gpu;
    of.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    const std::int64_t parts = random.between(1, std::min<std::int64_t>(of.items, 9));
    finish_trial(random, of, parts)
        .check(gpu, some_grid(random),
               place_of(k) + std::to_string(outer) + " x " + std::to_string(of.items) + " x " +
                   std::to_string(inner) + " " + std::string(name(of.input)) + " in " +
                   std::to_string(parts) + " parts");
  }
}

}  // namespace
}  // namespace onefold::cuda::test
