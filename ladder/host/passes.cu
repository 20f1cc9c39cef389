// SPDX-License-Identifier: Apache-2.0
// Passes: a driver that calls itself on the sums of the blocks until one value is left.
//
// Where each block folds a fixed number of elements, here two for each thread, a launch divides the
// length by that number and leaves an array that may still be long. Three passes take 2^26 elements
// to one value with blocks of 256; the last has a single block. Each pass writes its sums behind
// those of the pass before, which it reads.
//
// The question: the results of the blocks are reduced in further iterations; how many are there?
// Dr. Adrián Pousa, "Taller de Programación sobre GPUs: Optimización de reducción", slides 5 to 7.
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

// One sum a block of its 2 * blockDim.x elements; those past n count as zero.
__global__ void sum_pairs(const int* in, size_t n, int* sums) {
  extern __shared__ int items[];
  const size_t first = size_t(blockIdx.x) * (2 * blockDim.x) + threadIdx.x;
  const size_t second = first + blockDim.x;
  items[threadIdx.x] = (first < n ? in[first] : 0) + (second < n ? in[second] : 0);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) items[threadIdx.x] += items[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = items[0];
}

// Folds in[n] into out[0] and returns the number of launches. `sums` has space for those of all
// passes, which are fewer than n.
unsigned fold(const int* in, size_t n, int* out, int* sums, unsigned block) {
  const size_t blocks = (n + 2 * block - 1) / (2 * block);
  if (blocks == 1) {
    sum_pairs<<<1, block, block * sizeof(int)>>>(in, n, out);
    CHECK(cudaGetLastError());
    return 1;
  }
  sum_pairs<<<unsigned(blocks), block, block * sizeof(int)>>>(in, n, sums);
  CHECK(cudaGetLastError());
  return 1 + fold(sums, blocks, out, sums + blocks, block);
}

int main() {
  const unsigned block = 64;
  for (const size_t n : {size_t{1}, size_t{128}, size_t{129}, size_t{16384}, size_t{50000}}) {
    std::vector<int> values(n, 3);
    int *in, *sums, *sum;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&sums, n * sizeof(int)));
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    const unsigned passes = fold(in, n, sum, sums, block);
    int answer = 0;
    CHECK(cudaMemcpy(&answer, sum, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(sum));
    std::printf("%6zu values, %u passes: %d\n", n, passes, answer);
    if (answer != 3 * int(n)) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
