// SPDX-License-Identifier: Apache-2.0
// Answers that the kernels of any plan write themselves, under the executor.
#include <gtest/gtest.h>

#include "cuda/kernels/strided/finish_trial.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::source_of;

accumulator some_family(std::uint64_t k) {
  return k % 2 == 0 ? accumulator::moments : accumulator::exponentials;
}

TEST(strided_finish, of_random_plans) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(160, 80)) && !testing::Test::HasFailure();
       ++k) {
    random_source random = source_of(3300, k);
    trial made = make_trial(random, some_family(k), floats[k / 2 % 3], 300);
    made.request.pieces = 1, made.request.piece_items = made.request.items;
    if (made.request.items == 0) continue;
    simt::device gpu;
    made.request.x = on_device(gpu, made.x, "x");
    if (random.one_in(3)) made.request.mask = on_device(gpu, made.mask, "mask");
    finish_trial(random, made.request).check(gpu, some_grid(random), place_of(k) + made.text);
  }
}

TEST(strided_finish, of_contiguous_rows) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(240, 120)) && !testing::Test::HasFailure();
       ++k) {
    random_source random = source_of(3400, k);
    strided_request request;
    request.accumulator = some_family(k), request.input = floats[k / 2 % 3],
    request.x_kind = request.y_kind = kind_of(request.input);
    const auto width = std::int64_t(size_bytes(request.input));
    request.items = request.piece_items = random.one_in(4)   ? random.between(300, 1200)
                                          : random.one_in(3) ? random.between(70, 300)
                                                             : random.between(1, 70);
    // Of short rows of one block, 128 and more are what its lanes hold.
    request.outputs =
        request.items < 40 && random.one_in(2) ? random.between(100, 300) : random.between(1, 7);
    const std::int64_t row =
        (request.items + (random.one_in(2) ? -request.items & 7 : random.between(0, 2)));
    request.axes.kept = 1, request.axes.all = 2, request.aligned = true;
    request.axes.axis[0] = {request.outputs, row * width, 0, 0},
    request.axes.axis[1] = {request.items, width, 0, 0};
    std::vector<std::byte> x(std::size_t(request.outputs * row * width));
    with_type(request.input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) fill_rows<T>(random, x);
    });
    simt::device gpu;
    request.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    finish_trial(random, request)
        .check(gpu, some_grid(random),
               place_of(k) + std::to_string(request.outputs) + " rows of " +
                   std::to_string(request.items) + " " + std::string(name(request.input)));
  }
}

}  // namespace
}  // namespace onefold::cuda::test
