// SPDX-License-Identifier: Apache-2.0
// Two launches: the second one, of a single block, folds what the blocks of the first have left.
//
// Blocks of one launch cannot wait for each other. A launch waits for the one before it, though, so
// the end of the first launch is the barrier of the whole grid. The same kernel does both: to the
// second launch the sums of the first are just another array. The host copies one value.
//
// The question: how do blocks synchronise, and who adds up their results?
// "循环展开", listing 4.
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

// The value stays on the device; `partials` has an int for each block of `grid`.
void sum_on_device(const int* in, size_t n, int* partials, int* sum, unsigned grid,
                   unsigned block) {
  const size_t shared_bytes = block * sizeof(int);
  sum_blocks<<<grid, block, shared_bytes>>>(in, n, partials);
  CHECK(cudaGetLastError());
  sum_blocks<<<1, block, shared_bytes>>>(partials, grid, sum);
  CHECK(cudaGetLastError());
}

int main() {
  const size_t n = 1 << 16;
  const unsigned grid = 64, block = 256;
  std::vector<int> values(n);
  long long expected = 0;
  for (size_t i = 0; i < n; ++i) {
    values[i] = int(i % 1000) - 300;
    expected += values[i];
  }

  int *in, *partials, *sum;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&partials, grid * sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  sum_on_device(in, n, partials, sum, grid, block);

  int answer = 0;
  CHECK(cudaMemcpy(&answer, sum, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(partials));
  CHECK(cudaFree(sum));

  std::printf("sum of %zu values: %d, expected %lld\n", n, answer, expected);
  return answer == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
