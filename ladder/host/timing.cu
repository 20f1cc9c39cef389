// SPDX-License-Identifier: Apache-2.0
// Time by events: when did the device pass this point of the stream?
//
// A launch returns before the kernel has begun, so a clock of the host around it measures the
// launch. An event is a mark in the stream that the device passes when everything before it is
// done; two of them around the kernel give the kernel's time. The first launch also loads the code,
// so it is not counted, and of the others the median is taken.
//
// The question: the documents give times and speeds; how are they measured?
// "CUDA 数组点乘", http://www.yandong.org/archives/755, its table of times.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status));                 \
      std::exit(EXIT_FAILURE);                                                                     \
    }                                                                                              \
  } while (false)

// One sum a block, for any n and any grid; a block has a power of two of threads, and shared memory
// for one int of each.
__global__ void sum_blocks(const int* in, size_t n, int* sums) {
  extern __shared__ int items[];
  const size_t threads = size_t(gridDim.x) * blockDim.x;
  int value = 0;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
    value += in[i];
  }
  items[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) items[threadIdx.x] += items[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = items[0];
}

int main() {
  const size_t n = 1 << 16;
  const unsigned grid = 32, block = 256, rounds = 5;
  int *in, *sums;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&sums, grid * sizeof(int)));
  CHECK(cudaMemset(in, 0, n * sizeof(int)));

  cudaEvent_t before, after;
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  std::vector<float> by_events, by_clock;
  for (unsigned round = 0; round <= rounds; ++round) {
    CHECK(cudaDeviceSynchronize());  // or the clock would include the wait for the round before
    const auto start = std::chrono::steady_clock::now();
    CHECK(cudaEventRecord(before));
    sum_blocks<<<grid, block, block * sizeof(int)>>>(in, n, sums);
    CHECK(cudaEventRecord(after));
    const std::chrono::duration<float, std::micro> launched =
        std::chrono::steady_clock::now() - start;
    CHECK(cudaEventSynchronize(after));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, before, after));
    if (round == 0) continue;
    by_events.push_back(1000 * milliseconds);
    by_clock.push_back(launched.count());
  }
  CHECK(cudaEventDestroy(before));
  CHECK(cudaEventDestroy(after));
  CHECK(cudaFree(in));
  CHECK(cudaFree(sums));

  std::sort(by_events.begin(), by_events.end());
  std::sort(by_clock.begin(), by_clock.end());
  const float kernel_us = by_events[rounds / 2];
  std::printf("kernel, by events:         %.1f us\n", kernel_us);
  std::printf("launch, by the host clock: %.1f us\n", by_clock[rounds / 2]);
  std::printf("read: %.1f GB/s\n", n * sizeof(int) / (1000 * kernel_us));
  return EXIT_SUCCESS;
}
