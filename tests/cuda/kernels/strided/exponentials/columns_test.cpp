// SPDX-License-Identifier: Apache-2.0
// Logarithms of exponentials of columns and long rows, by parts, under the executor.
#include "cuda/kernels/strided/exponentials/exponential_columns.hpp"

#include <gtest/gtest.h>

#include "cuda/kernels/strided/exponentials/families.hpp"
#include "cuda/kernels/strided/finish_trial.hpp"
#include "cuda/kernels/strided/kernels.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::source_of;

// Of x[outer][n][inner], or with rows further apart; or of x[outer][inner][n].
TEST(exponential_columns, write_the_answers_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(20, 10)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3720, k);
    nested_request of;
    of.accumulator = accumulator::exponentials, of.input = floats[k % 4];
    of.x_kind = of.y_kind = kind_of(of.input);
    const auto width = std::int64_t(size_bytes(of.input));
    of.items = of.piece_items = random.one_in(3) ? random.between(100, 700) : random.between(1, 40);
    const std::int64_t outer = random.between(1, 3);
    const std::int64_t inner = random.between(1, of.items < 100 ? 70 : 9);
    const std::int64_t gap = random.one_in(2) ? random.between(0, 3) : 0;
    const std::int64_t row = (inner + gap) * width;
    of.outputs = outer * inner, of.axes.kept = 2, of.axes.all = 3, of.aligned = true;
    of.axes.axis[0] = {outer, of.items * row, 0, 0}, of.axes.axis[1] = {inner, width, 0, 0};
    of.axes.axis[2] = {of.items, row, 0, 0};
    const bool are_rows = inner > 1 && random.one_in(3);
    if (are_rows) of.axes.axis[1].x_bytes = of.items * width, of.axes.axis[2].x_bytes = width;
    std::vector<std::byte> x(std::size_t(outer * of.items * row));
    fill_exponents(random, of.input, x, are_rows ? of.items : outer * of.items * (inner + gap));
    simt::device gpu;
    of.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    const std::int64_t parts = random.between(1, std::min<std::int64_t>(of.items, 9));
    const std::int64_t pieces =
        parts > 1 && random.one_in(2) ? random.between(1, std::min<std::int64_t>(of.items, 12)) : 0;
    finish_trial(random, of, parts, pieces)
        .check(gpu, some_grid(random),
               place_of(k) + std::to_string(outer) + " x " + std::to_string(of.items) + " x " +
                   std::to_string(inner) + (are_rows ? " rows " : " ") +
                   std::string(name(of.input)) + " in " + std::to_string(parts) +
                   " parts, exactly in pieces of " + std::to_string(pieces));
  }
}

// A band of an odd number ends above the tie to even: -768 is of band -2, and 3 more of band -1.
TEST(exponential_columns, an_element_at_the_end_of_an_odd_band_is_of_the_next_one) {
  for (std::uint64_t k = 0; k < 16 && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3721, k);
    nested_request of;
    of.accumulator = accumulator::exponentials, of.input = floats[k % 4];
    of.x_kind = of.y_kind = kind_of(of.input);
    const std::int64_t width = of.x_kind.bytes, inner = 8;
    of.items = of.piece_items = 2, of.outputs = inner, of.aligned = true;
    of.axes.kept = 1, of.axes.all = 2;
    of.axes.axis[0] = {inner, width, 0, 0}, of.axes.axis[1] = {2, inner * width, 0, 0};
    simt::device gpu;
    with_floating<bool>(of.input, [&]<class T>(detail::tag<T>) {
      std::vector<T> x;
      for (const bool is_end : {false, true})
        for (int i = 0; i < inner; ++i) {
          const int end = 512 * (2 * (i % 4) - 3) - 256;
          x.push_back(onefold::test::chopped<T>(is_end ? end : end + 8 * (1 + i / 4)));
        }
      of.x = reinterpret_cast<const std::byte*>(gpu.memory().copy(std::span<const T>(x), "x"));
      return true;
    });
    finish_trial(random, of, 1, 0).check(gpu, some_grid(random), place_of(k));
  }
}

}  // namespace
}  // namespace onefold::cuda::test
