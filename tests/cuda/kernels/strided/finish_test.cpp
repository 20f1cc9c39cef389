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

TEST(nested_finish, of_random_plans) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(160, 80)) && !testing::Test::HasFailure();
       ++k) {
    random_source random = source_of(3300, k);
    trial made = make_trial(random, some_family(k), floats[k / 2 % 3], 300);
    made.asked.pieces = 1, made.asked.piece_items = made.asked.items;
    if (made.asked.items == 0) continue;
    simt::device gpu;
    made.asked.x = on_device(gpu, made.x, "x");
    if (random.one_in(3)) made.asked.mask = on_device(gpu, made.mask, "mask");
    finish_trial(random, made.asked).check(gpu, some_grid(random), place_of(k) + made.text);
  }
}

TEST(nested_finish, of_contiguous_rows) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(240, 120)) && !testing::Test::HasFailure();
       ++k) {
    random_source random = source_of(3400, k);
    nested_request of;
    of.accumulator = some_family(k), of.input = floats[k / 2 % 3],
    of.x_kind = of.y_kind = kind_of(of.input);
    const auto width = std::int64_t(size_bytes(of.input));
    of.items = of.piece_items = random.one_in(4)   ? random.between(300, 1200)
                                : random.one_in(3) ? random.between(70, 300)
                                                   : random.between(1, 70);
    // Of short rows of one block, 128 and more are what its lanes hold.
    of.outputs =
        of.items < 40 && random.one_in(2) ? random.between(100, 300) : random.between(1, 7);
    const std::int64_t row = (of.items + (random.one_in(2) ? -of.items & 7 : random.between(0, 2)));
    of.axes.kept = 1, of.axes.all = 2, of.aligned = true;
    of.axes.axis[0] = {of.outputs, row * width, 0, 0}, of.axes.axis[1] = {of.items, width, 0, 0};
    std::vector<std::byte> x(std::size_t(of.outputs * row * width));
    with_type(of.input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) fill_rows<T>(random, x);
    });
    simt::device gpu;
    of.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    finish_trial(random, of)
        .check(gpu, some_grid(random),
               place_of(k) + std::to_string(of.outputs) + " rows of " + std::to_string(of.items) +
                   " " + std::string(name(of.input)));
  }
}

}  // namespace
}  // namespace onefold::cuda::test
