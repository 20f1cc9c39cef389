// SPDX-License-Identifier: Apache-2.0
// Lanes of float32 on a device, forced: the words that the usual lanes leave. Skipped where there
// is no device.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "cuda/engine.hpp"
#include "cuda/kernels/whole/whole.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

/// Device memory that holds zeros.
class on_device {
 public:
  explicit on_device(std::size_t bytes) {
    EXPECT_EQ(cudaMalloc(&at, bytes), cudaSuccess);
    const std::vector<unsigned char> zeros(bytes);
    EXPECT_EQ(cudaMemcpy(at, zeros.data(), bytes, cudaMemcpyDefault), cudaSuccess);
  }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;
  ~on_device() { cudaFree(at); }

  void* at = nullptr;
};

/// Elements of few exponents, so that lanes take them, or of all bit patterns.
std::vector<unsigned char> elements(dtype type, std::int64_t n, random_source& random) {
  std::vector<unsigned char> bytes(std::size_t(n) * size_bytes(type));
  const bool tame = random.one_in(2);
  for (std::size_t i = 0; i < std::size_t(n); ++i) {
    std::uint32_t bits = std::uint32_t(random());
    if (tame && type == dtype::f32) bits = (bits & 0x8FFFFFFF) | 0x30000000;
    if (type == dtype::f16) bits &= tame ? 0xBFFF : 0xFFFF;
    std::memcpy(bytes.data() + i * size_bytes(type), &bits, size_bytes(type));
  }
  return bytes;
}

std::vector<std::int64_t> words_by(const whole_request& given, sum_lanes lanes, unsigned blocks) {
  whole_request request = given;
  request.lanes = lanes;
  const on_device workspace(workspace_bytes(given.accumulator, given.input));
  std::vector<std::int64_t> words(std::size_t(state_words(given.accumulator, given.input)));
  const on_device to(words.size() * sizeof(std::int64_t));
  grid_shape grid = suited_grid(given.accumulator, given.input, given.n, 4, lanes);
  if (blocks != 0) grid.blocks = blocks;
  EXPECT_EQ(launch_whole(request, grid, workspace.at, static_cast<std::int64_t*>(to.at), nullptr),
            0);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(words.data(), to.at, words.size() * 8, cudaMemcpyDefault), cudaSuccess);
  return words;
}

TEST(forced_lanes_on_gpu, leave_the_words_of_the_usual_ones) {
  if (const auto there = check_device({}); !there) GTEST_SKIP() << there.message();
  for (const dtype type : {dtype::f32, dtype::f16, dtype::bf16, dtype::f64}) {
    for (const accumulator kind : {accumulator::total, accumulator::magnitudes}) {
      for (const std::int64_t n : {0, 1, 4095, 1'000'003}) {
        random_source random = source_of(70, std::uint64_t(n));
        const auto bytes = elements(type, n, random);
        const on_device x(bytes.size() + 1);
        ASSERT_EQ(cudaMemcpy(x.at, bytes.data(), bytes.size(), cudaMemcpyDefault), cudaSuccess);
        const whole_request request = {kind, type, x.at, nullptr, n};
        const auto wanted = words_by(request, sum_lanes::usual, 0);
        for (const unsigned blocks : {0u, 1u, 3u})
          EXPECT_EQ(words_by(request, sum_lanes::float32, blocks), wanted)
              << "ONEFOLD_TEST_SEED=" << seed() << ": " << name(type) << " n " << n;
      }
    }
  }
}

TEST(lanes_on_gpu, are_chosen_by_the_devices_rates) {
  EXPECT_EQ(suited_lanes(1), sum_lanes::usual);
  EXPECT_EQ(suited_lanes(2), sum_lanes::usual);
  EXPECT_EQ(suited_lanes(32), sum_lanes::float32);
  EXPECT_EQ(suited_lanes(64), sum_lanes::float32);
}

}  // namespace
}  // namespace onefold::cuda::test
