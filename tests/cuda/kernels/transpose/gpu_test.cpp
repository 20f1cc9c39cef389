// SPDX-License-Identifier: Apache-2.0
// Transposes of device memory: what the CPU makes of the same bytes, and not a byte besides.
// Skipped where there is no device.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "cuda/device_test.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::source_of;

class on_gpu_transposes : public with_device {};

/// The axes of a matrix, and where its element [0][0] lies in `bytes` of memory.
struct place {
  axis_list axes;
  std::int64_t origin, bytes;
};

place place_of(std::int64_t rows, std::int64_t columns, std::int64_t by_row, std::int64_t by_column,
               std::int64_t item, std::int64_t guard) {
  place made = {{{rows, by_row}, {columns, by_column}}, guard, 2 * guard + item};
  for (const auto& axis : made.axes) {
    const std::int64_t reach = (axis.extent - 1) * axis.stride_bytes;
    made.bytes += std::llabs(reach);
    made.origin -= std::min<std::int64_t>(reach, 0);
  }
  return made;
}

std::vector<std::byte> random_bytes(random_source& random, std::int64_t n) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(n));
  for (auto& byte : bytes) byte = std::byte(random() >> 40);
  return bytes;
}

dtype type_of(std::int64_t item) {
  return item == 1 ? dtype::u8 : item == 2 ? dtype::bf16 : item == 4 ? dtype::f32 : dtype::i64;
}

void expect_turned(const place& in, const place& out, std::int64_t item, random_source& random) {
  const auto from = random_bytes(random, in.bytes);
  auto to = random_bytes(random, out.bytes);
  const device_bytes there(from), result(to);
  const array_view host(from.data() + in.origin, type_of(item), in.axes);
  const array_view device(there.data() + in.origin, type_of(item), in.axes);
  const auto done = transpose(executor::cuda{}, device, result.data() + out.origin, out.axes);
  ASSERT_TRUE(done.ok()) << done.message();
  ASSERT_TRUE(transpose(executor::cpu{}, host, to.data() + out.origin, out.axes).ok());
  EXPECT_TRUE(result.get<std::byte>() == to)
      << in.axes[0].extent << " x " << in.axes[1].extent << " of " << item << " bytes by "
      << in.axes[0].stride_bytes << ", " << in.axes[1].stride_bytes << " to "
      << out.axes[0].stride_bytes << ", " << out.axes[1].stride_bytes
      << ", ONEFOLD_TEST_SEED=" << onefold::test::seed();
}

struct extents {
  std::int64_t rows, columns;
};

TEST_F(on_gpu_transposes, contiguous_matrices_of_all_shapes) {
  std::uint64_t index = 0;
  for (const std::int64_t item : {1, 2, 4, 8})
    for (const extents size : {extents{1, 1},
                               {1, 1000},
                               {1000, 1},
                               {3, 70001},
                               {70001, 3},
                               {128, 128},
                               {1024, 512},
                               {1000, 1001},
                               {2311, 129}}) {
      random_source random = source_of(400, index++);
      const std::int64_t guard = random.one_in(2) ? 256 : std::int64_t(random.below(40));
      expect_turned(place_of(size.rows, size.columns, size.columns * item, item, item, guard),
                    place_of(size.columns, size.rows, size.rows * item, item, item, guard), item,
                    random);
    }
}

TEST_F(on_gpu_transposes, strides_of_any_sign) {
  for (std::uint64_t k = 0; k < 200; ++k) {
    random_source random = source_of(401, k);
    const std::int64_t item = std::int64_t(1) << random.below(4);
    const std::int64_t rows = random.between(1, 300), columns = random.between(1, 300);
    const auto step = [&](std::int64_t least) {
      const std::int64_t made = least + (random.one_in(2) ? 0 : std::int64_t(random.below(50)));
      return random.one_in(2) ? made : -made;
    };
    const auto layout = [&](std::int64_t r, std::int64_t c) {
      const bool by_rows = random.one_in(2);
      const std::int64_t inner = step(item);
      const std::int64_t outer = step(std::llabs(inner) * (by_rows ? c : r) + item);
      return by_rows ? place_of(r, c, outer, inner, item, 9)
                     : place_of(r, c, inner, outer, item, 9);
    };
    const place in = layout(rows, columns), out = layout(columns, rows);
    expect_turned(in, out, item, random);
  }
}

TEST_F(on_gpu_transposes, memory_of_the_host_is_refused_by_name) {
  const std::vector<std::byte> bytes(256);
  std::vector<std::byte> host(256, std::byte(7));
  const device_bytes device(bytes);
  const axis_list axes = {{16, 16}, {16, 1}};
  const auto turned = [&](const std::byte* from, std::byte* to) {
    return transpose(executor::cuda{}, array_view(from, dtype::u8, axes), to, axes);
  };
  const status both = turned(bytes.data(), host.data());
  EXPECT_EQ(both.code(), status_code::unsupported);
  EXPECT_NE(both.message().find("executor::cpu"), std::string::npos) << both.message();
  EXPECT_EQ(turned(bytes.data(), device.data()).code(), status_code::mismatch);
  EXPECT_EQ(turned(device.data(), host.data()).code(), status_code::mismatch);
  EXPECT_EQ(turned(device.data(), device.data()).code(), status_code::mismatch) << "in place";
  EXPECT_EQ(host, std::vector<std::byte>(256, std::byte(7)));
  EXPECT_TRUE(transpose(executor::cuda{}, array_view(nullptr, dtype::u8, {{0, 1}, {5, 1}}), nullptr,
                        {{5, 1}, {0, 1}}));
  const auto nowhere = transpose(executor::cuda{nullptr, 1000},
                                 array_view(bytes.data(), dtype::u8, axes), host.data(), axes);
  EXPECT_EQ(nowhere.code(), status_code::unsupported);
}

}  // namespace
}  // namespace onefold::cuda::test
