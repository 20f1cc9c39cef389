// SPDX-License-Identifier: Apache-2.0
// The whole way of a first program: allocate, copy there, launch, copy back, free.
//
// A kernel only sees memory of the device, so its input is copied there and its output back. The
// three numbers in <<<grid, block, bytes>>> are the blocks, the threads of each, and the bytes of
// its `extern __shared__` array, whose size the kernel does not know. What comes back is one sum a
// block; the host adds them up.
//
// The question: how is a kernel called, and where does the size of its shared memory come from?
// Dr. Adrián Pousa, "Taller de Programación sobre GPUs: Optimización de reducción", slides 22 to
// 24; "循环展开", listing 4.
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
  const size_t n = 10000;
  const unsigned grid = 20, block = 128;
  std::vector<int> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = int(i % 100);

  int *in, *sums;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&sums, grid * sizeof(int)));
  CHECK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  sum_blocks<<<grid, block, block * sizeof(int)>>>(in, n, sums);
  CHECK(cudaGetLastError());  // a launch returns nothing: this is how it says that it was refused

  std::vector<int> parts(grid);  // this copy waits until the kernel has ended
  CHECK(cudaMemcpy(parts.data(), sums, grid * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(sums));

  int sum = 0;
  for (const int part : parts) sum += part;
  std::printf("sum of %zu values in %u blocks: %d\n", n, grid, sum);
  return sum == 495000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
