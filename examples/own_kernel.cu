// SPDX-License-Identifier: Apache-2.0
// Exact accumulators in a user's own CUDA kernel: header-only, no library to link, integers alone.
#include <onefold/exact.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// [own_kernel]
using sum = onefold::exact_sum<float>;

// One block for each row of the matrix; a power of two of threads, each with a state in shared
// memory.
__global__ void sums_of_rows(const float* matrix, int columns, float* answers) {
  extern __shared__ long long memory[];
  sum* const parts = reinterpret_cast<sum*>(memory);
  const float* const row = matrix + std::size_t(blockIdx.x) * columns;

  sum lane;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) lane.add(row[c]);
  parts[threadIdx.x] = lane;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x].merge(parts[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) answers[blockIdx.x] = parts[0].value();  // rounded once
}
// [own_kernel]

static void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(code));
  std::exit(1);
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no CUDA device");
    return 77;
  }
  constexpr int rows = 100, columns = 10'007, threads = 64;
  std::vector<float> matrix(std::size_t(rows) * columns), answers(rows), expected(rows);
  for (int r = 0; r < rows; ++r) {
    sum exact;
    for (int c = 0; c < columns; ++c) {
      // Large terms that cancel, and small ones that a plain sum would lose.
      const float sign = c % 2 == 0 ? 1.0f : -1.0f;
      const float x = c + 1 < columns && c % 4 < 2 ? sign * 1e30f : 1.0f / float(r + c + 1);
      matrix[std::size_t(r) * columns + c] = x;
      exact.add(x);
    }
    expected[r] = exact.value();
  }

  float *on_device = nullptr, *sums = nullptr;
  check(cudaMalloc(&on_device, matrix.size() * sizeof(float)));
  check(cudaMalloc(&sums, rows * sizeof(float)));
  check(cudaMemcpy(on_device, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyDefault));
  sums_of_rows<<<rows, threads, threads * sizeof(sum)>>>(on_device, columns, sums);
  check(cudaGetLastError());
  check(cudaMemcpy(answers.data(), sums, rows * sizeof(float), cudaMemcpyDefault));
  cudaFree(on_device), cudaFree(sums);

  std::printf("%.9g, and on the host %.9g\n", double(answers[0]), double(expected[0]));
  return std::memcmp(answers.data(), expected.data(), rows * sizeof(float)) == 0 ? 0 : 1;
}
