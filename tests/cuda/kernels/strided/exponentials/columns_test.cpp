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

TEST(exponential_columns, write_the_answers_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(20, 10)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3720, k);
    const std::int64_t n = random.one_in(3) ? random.between(100, 300) : random.between(1, 40);
    column_trial trial(random, accumulator::exponentials, floats[k % 4], n, n < 100 ? 70 : 9);
    strided_request& request = trial.request;
    std::vector<std::byte> x(std::size_t(trial.elements) * size_bytes(request.input));
    fill_exponents(random, request.input, x, trial.elements);
    simt::device gpu;
    request.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    const column_parts lanes = trial.lanes(random, 9);
    const std::int64_t pieces =
        lanes.count() > 1 && random.one_in(2)
            ? random.between(std::max<std::int64_t>(request.items / 60, 1), request.items)
            : 0;
    finish_trial(random, request, lanes, pieces)
        .check(gpu, some_grid(random),
               place_of(k) + text_of(lanes) + " " + std::string(name(request.input)) +
                   ", exactly in pieces of " + std::to_string(pieces));
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
    column_parts lanes;
    lanes.inner = inner, lanes.run = shared_axis(2, inner * width), lanes.threads = strided_threads;
    finish_trial(random, request, lanes, 0).check(gpu, some_grid(random), place_of(k));
  }
}

}  // namespace
}  // namespace onefold::cuda::test
