// SPDX-License-Identifier: Apache-2.0
// What the programs that check and time kernels on a GPU share: calls that must succeed, memory,
// the clock, and the kernel that only reads.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace bench {

inline void try_cuda(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::printf("{\"error\": \"%s: %s\"}\n", call, cudaGetErrorString(code));
  std::exit(1);
}
#define TRY(call) bench::try_cuda(call, #call)

struct device_buffer {
  explicit device_buffer(std::size_t bytes) : size(bytes) { TRY(cudaMalloc(&at, bytes + 256)); }
  ~device_buffer() { cudaFree(at); }
  device_buffer(const device_buffer&) = delete;
  void clear() { TRY(cudaMemset(at, 0, size)); }
  std::byte* bytes() const { return static_cast<std::byte*>(at); }
  void* at = nullptr;
  std::size_t size;
};

// Reads everything once; the store never happens, but the compiler cannot know.
static __global__ void read_all(const uint4* in, std::size_t n, unsigned never, unsigned* out) {
  uint4 fold = {0, 0, 0, 0}, item[4];
  const std::size_t first = std::size_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
    item[i] = first + i * blockDim.x < n ? in[first + i * blockDim.x] : fold;
#pragma unroll
  for (const uint4& v : item) fold.x ^= v.x, fold.y ^= v.y, fold.z ^= v.z, fold.w ^= v.w;
  if (fold.x == never && fold.y == never && fold.z == never && fold.w == never) *out = 1;
}

/// The median of 20 calls by events, in microseconds.
template <class Launch>
double median_us(Launch&& launch) {
  cudaEvent_t begin, end;
  TRY(cudaEventCreate(&begin));
  TRY(cudaEventCreate(&end));
  for (int i = 0; i < 3; ++i) launch();
  std::vector<float> times(20);
  for (float& time : times) {
    TRY(cudaEventRecord(begin));
    launch();
    TRY(cudaEventRecord(end));
    TRY(cudaEventSynchronize(end));
    TRY(cudaEventElapsedTime(&time, begin, end));
  }
  std::sort(times.begin(), times.end());
  TRY(cudaEventDestroy(begin));
  TRY(cudaEventDestroy(end));
  return 500.0 * (times[9] + times[10]);
}

}  // namespace bench
