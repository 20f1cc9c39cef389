// SPDX-License-Identifier: Apache-2.0
// Every word gives what CUDA says, in warps of 32 and of 4 lanes, under every schedule, and with
// nothing reported.

#include "simt/device.hpp"
#include "tests/simt/words.hpp"

#include <gtest/gtest.h>

namespace onefold::simt::test {
namespace {

constexpr unsigned threads = 64;
constexpr unsigned word_ints = 2;  ///< the atomics' word after the facts has up to 8 bytes

void expect_facts(const fact_kernel& kernel, schedule order, unsigned warp) {
  device gpu;
  const std::size_t facts = std::size_t{kernel.facts} * threads;
  int* out = gpu.memory().allocate<int>(facts + word_ints, "out");
  kernel.launch(gpu, {.grid = {1}, .block = {threads}, .warp_lanes = warp, .order = order}, out);
  for (const finding& f : gpu.report()) ADD_FAILURE() << kernel.name << ": " << f.text();
  for (std::size_t i = 0; i < facts; ++i) {
    ASSERT_EQ(out[i], 1) << kernel.name << ", warp " << warp << ", schedule "
                         << static_cast<int>(order) << ": fact " << i / threads << " of thread "
                         << i % threads;
  }
}

TEST(words, give_what_cuda_says) {
  for (std::size_t i = 0; i < fact_kernel_count; ++i) {
    for (const schedule order :
         {schedule::forward, schedule::reverse, schedule::shuffled, schedule::lockstep}) {
      for (const unsigned warp : {32u, 4u}) expect_facts(fact_kernels[i], order, warp);
    }
  }
}

}  // namespace
}  // namespace onefold::simt::test
