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
    strided_request request;
    request.accumulator = accumulator::exponentials, request.input = floats[k % 4];
    request.x_kind = request.y_kind = kind_of(request.input);
    const auto width = std::int64_t(size_bytes(request.input));
    request.items = request.piece_items =
        random.one_in(3) ? random.between(100, 700) : random.between(1, 40);
    const std::int64_t outer = random.between(1, 3);
    const std::int64_t inner = random.between(1, request.items < 100 ? 70 : 9);
    const std::int64_t gap = random.one_in(2) ? random.between(0, 3) : 0;
    const std::int64_t row = (inner + gap) * width;
    request.outputs = outer * inner, request.axes.kept = 2, request.axes.all = 3,
    request.aligned = true;
    request.axes.axis[0] = {outer, request.items * row, 0, 0},
    request.axes.axis[1] = {inner, width, 0, 0};
    request.axes.axis[2] = {request.items, row, 0, 0};
    const bool are_rows = inner > 1 && random.one_in(3);
    if (are_rows)
      request.axes.axis[1].x_bytes = request.items * width, request.axes.axis[2].x_bytes = width;
    std::vector<std::byte> x(std::size_t(outer * request.items * row));
    fill_exponents(random, request.input, x,
                   are_rows ? request.items : outer * request.items * (inner + gap));
    simt::device gpu;
    request.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    const std::int64_t parts = random.between(1, std::min<std::int64_t>(request.items, 9));
    const std::int64_t pieces = parts > 1 && random.one_in(2)
                                    ? random.between(1, std::min<std::int64_t>(request.items, 12))
                                    : 0;
    finish_trial(random, request, parts, pieces)
        .check(gpu, some_grid(random),
               place_of(k) + std::to_string(outer) + " x " + std::to_string(request.items) + " x " +
                   std::to_string(inner) + (are_rows ? " rows " : " ") +
                   std::string(name(request.input)) + " in " + std::to_string(parts) +
                   " parts, exactly in pieces of " + std::to_string(pieces));
  }
}

// A band of an odd number ends above the tie to even: -768 is of band -2, and 3 more of band -1.
TEST(exponential_columns, an_element_at_the_end_of_an_odd_band_is_of_the_next_one) {
  for (std::uint64_t k = 0; k < 16 && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3721, k);
    strided_request request;
    request.accumulator = accumulator::exponentials, request.input = floats[k % 4];
    request.x_kind = request.y_kind = kind_of(request.input);
    const std::int64_t width = request.x_kind.bytes, inner = 8;
    request.items = request.piece_items = 2, request.outputs = inner, request.aligned = true;
    request.axes.kept = 1, request.axes.all = 2;
    request.axes.axis[0] = {inner, width, 0, 0}, request.axes.axis[1] = {2, inner * width, 0, 0};
    simt::device gpu;
    with_floating<bool>(request.input, [&]<class T>(detail::tag<T>) {
      std::vector<T> x;
      for (const bool is_end : {false, true})
        for (int i = 0; i < inner; ++i) {
          const int end = 512 * (2 * (i % 4) - 3) - 256;
          x.push_back(onefold::test::chopped<T>(is_end ? end : end + 8 * (1 + i / 4)));
        }
      request.x = reinterpret_cast<const std::byte*>(gpu.memory().copy(std::span<const T>(x), "x"));
      return true;
    });
    finish_trial(random, request, 1, 0).check(gpu, some_grid(random), place_of(k));
  }
}

}  // namespace
}  // namespace onefold::cuda::test
