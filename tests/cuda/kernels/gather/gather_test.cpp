// SPDX-License-Identifier: Apache-2.0
// Copies of elements that lie anywhere, under the executor: every element arrives, no other byte is
// read or written, and nothing is reported.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/kernels/gather/kernels.hpp"
#include "simt/device.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

constexpr std::int64_t guard = 32;

/// Extents and strides in bytes, outermost axis first, and where the first element lies.
struct example {
  std::int64_t item;
  std::vector<gather_axis> axes;
  std::int64_t offset = 0;

  std::int64_t items() const {
    std::int64_t items = 1;
    for (const gather_axis& axis : axes) items *= axis.extent;
    return items;
  }
  std::int64_t place(std::int64_t index) const {
    std::int64_t at = 0;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      at += index % axis->extent * axis->from_bytes;
      index /= axis->extent;
    }
    return at;
  }
  std::string text() const {
    std::string text = std::to_string(item) + " bytes at " + std::to_string(offset) + ":";
    for (const gather_axis& axis : axes)
      text += " " + std::to_string(axis.extent) + " by " + std::to_string(axis.from_bytes);
    return text + ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
  }
};

// Returns the size of the units that were copied.
unsigned expect_gathered(const example& given, random_source& random) {
  std::int64_t below = 0, above = 0;
  for (const gather_axis& axis : given.axes) {
    const std::int64_t reach = (axis.extent - 1) * axis.from_bytes;
    (reach < 0 ? below : above) += std::llabs(reach);
  }
  simt::device gpu;
  // A multiple of 256 before the first element, so that its offset is its alignment.
  const std::int64_t origin = (below + 255) / 256 * 256 + given.offset;
  auto* const memory = gpu.memory().allocate<std::byte>(
      std::size_t(origin + above + given.item + guard), "elements");
  std::vector<std::byte> wanted(std::size_t(given.items() * given.item));
  for (std::int64_t i = 0; i < given.items(); ++i) {
    std::byte* const at = memory + origin + given.place(i);
    for (std::int64_t b = 0; b < given.item; ++b) at[b] = std::byte(random() >> 40);
    gpu.memory().mark_written(gpu.memory().offset_of(at), std::size_t(given.item));
  }
  for (std::int64_t i = 0; i < given.items(); ++i)
    std::memcpy(wanted.data() + i * given.item, memory + origin + given.place(i),
                std::size_t(given.item));
  const std::vector<std::byte> before(wanted.size() + guard, std::byte(0x5A));
  std::byte* const to = gpu.memory().copy(std::span<const std::byte>(before), "copy");
  gather_copy copy(memory + origin, to, given.item);
  for (const gather_axis& axis : given.axes) EXPECT_TRUE(copy.add_axis(axis)) << given.text();
  EXPECT_EQ(copy.items(), given.items());
  const gather_launch launch(copy);
  launch_gather(gpu, launch, unsigned(random.between(1, 5)),
                random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse);
  for (const auto& finding : gpu.report()) ADD_FAILURE() << given.text() << ": " << finding.text();
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), to)) << given.text();
  EXPECT_TRUE(
      std::equal(before.begin() + std::ptrdiff_t(wanted.size()), before.end(), to + wanted.size()))
      << given.text();
  return launch.unit_bytes;
}

TEST(cuda_gather, any_axes_of_any_sign) {
  for (std::uint64_t k = 0; k < 120; ++k) {
    random_source random = source_of(760, k);
    example given = {std::int64_t(1) << random.below(4), {}, 0};
    const int rank = int(random.below(7));
    std::int64_t step = given.item, items = 1;
    for (int i = 0; i < rank; ++i) {
      const std::int64_t extent = random.between(1, items > 300 ? 3 : rank > 4 ? 5 : 40);
      if (!random.one_in(3)) step += given.item * std::int64_t(random.below(4));
      given.axes.insert(given.axes.begin(), {extent, random.one_in(4) ? -step : step});
      step *= extent, items *= extent;
    }
    // In another order, one of them repeated, all of them off a multiple of their size.
    if (rank > 1 && random.one_in(2)) std::swap(given.axes[0], given.axes[std::size_t(rank - 1)]);
    if (rank > 0 && random.one_in(5)) given.axes[random.below(std::uint64_t(rank))].from_bytes = 0;
    if (random.one_in(3)) given.offset = std::int64_t(random.below(16));
    expect_gathered(given, random);
  }
}

TEST(cuda_gather, neighbours_move_in_units_of_up_to_16_bytes) {
  random_source random = source_of(761, 0);
  const auto unit = [&](std::int64_t item, std::int64_t n, std::int64_t pitch,
                        std::int64_t offset) {
    return expect_gathered({item, {{5, pitch}, {n, item}}, offset}, random);
  };
  EXPECT_EQ(unit(4, 100, 416, 0), 16u);
  EXPECT_EQ(unit(4, 100, 408, 0), 8u) << "rows at multiples of 8 bytes";
  EXPECT_EQ(unit(4, 100, 416, 8), 8u);
  EXPECT_EQ(unit(1, 6, 16, 0), 2u) << "rows of 6 bytes";
  EXPECT_EQ(unit(2, 33, 80, 0), 2u);
  EXPECT_EQ(unit(8, 1, 80, 0), 8u);
  EXPECT_EQ(expect_gathered({4, {{10, 8}}, 0}, random), 4u) << "every other element";
  EXPECT_EQ(expect_gathered({2, {{64, 2}}, 1}, random), 2u) << "off a multiple of its size";
}

TEST(cuda_gather, axes_that_continue_each_other_become_one) {
  gather_copy copy(nullptr, nullptr, 4);
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(copy.add_axis({2, std::int64_t(4) << (29 - i)}));
  EXPECT_TRUE(copy.add_axis({1, 12345})) << "an axis of one index";
  EXPECT_EQ(copy.items(), std::int64_t(1) << 30);
  for (int i = 1; i < gather_copy::most_axes; ++i) EXPECT_TRUE(copy.add_axis({2, 3 * 4}));
  EXPECT_FALSE(copy.add_axis({2, 5 * 4}));
}

TEST(cuda_gather, a_divisor_divides_as_the_processor_does) {
  random_source random = source_of(762, 0);
  std::vector<std::uint32_t> numbers = {1, 2, 3, 7, 255, 256, 257, 65535, 65536, 0x7FFFFFFF};
  for (int i = 0; i < 300; ++i) numbers.push_back(1 + std::uint32_t(random() >> (33 + i % 31)));
  for (const std::uint32_t d : numbers)
    for (const std::uint32_t n : numbers)
      for (const std::uint32_t each : {n, n / d * d, n / d * d - (n / d > 0)}) {
        if (each > 0x7FFFFFFF || d > 0x7FFFFFFF) continue;
        ASSERT_EQ(divisor(d).quotient(each), each / d) << each << " / " << d;
      }
}

}  // namespace
}  // namespace onefold::cuda::test
