// SPDX-License-Identifier: Apache-2.0
// One kernel for each block size, chosen at run time by a switch.
//
// A size that is a template argument is known to the compiler: tests of it vanish, and the tree has
// no loop. A template argument cannot be a variable, so the program names every size there is, and
// says which ones there are when it is asked for another. 96 is a multiple of 32 and still none of
// them: halving it leaves an odd 3, of which one would never be added.
//
// The question: how is a size known only at run time given to a template?
// Dr. Adrián Pousa, "Taller de Programación sobre GPUs: Optimización de reducción", slides 22 to
// 24; "循环展开", listing 8; "CUDA : Performance Optimization Example", Step 6.
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

// A step of the tree: the lower threads of the block each take one item from above. The condition
// on Block is decided by the compiler, the one on the thread when the kernel runs.
template <unsigned Block, unsigned Half>
__device__ void fold_half(int* items) {
  if (Block >= 2 * Half) {
    if (threadIdx.x < Half) items[threadIdx.x] += items[threadIdx.x + Half];
    __syncthreads();
  }
}

// One sum a block, for any n and any grid.
template <unsigned Block>
__global__ void sum_blocks(const int* in, size_t n, int* sums) {
  __shared__ int items[Block];
  int value = 0;
  for (size_t i = size_t(blockIdx.x) * Block + threadIdx.x; i < n; i += size_t(gridDim.x) * Block) {
    value += in[i];
  }
  items[threadIdx.x] = value;
  __syncthreads();
  fold_half<Block, 512>(items);
  fold_half<Block, 256>(items);
  fold_half<Block, 128>(items);
  fold_half<Block, 64>(items);
  fold_half<Block, 32>(items);
  fold_half<Block, 16>(items);
  fold_half<Block, 8>(items);
  fold_half<Block, 4>(items);
  fold_half<Block, 2>(items);
  fold_half<Block, 1>(items);
  if (threadIdx.x == 0) sums[blockIdx.x] = items[0];
}

using sum_kernel = void (*)(const int* in, size_t n, int* sums);

// The kernel of that size; null: there is none.
sum_kernel kernel_of(unsigned block) {
  switch (block) {
  case 1:
    return sum_blocks<1>;
  case 2:
    return sum_blocks<2>;
  case 4:
    return sum_blocks<4>;
  case 8:
    return sum_blocks<8>;
  case 16:
    return sum_blocks<16>;
  case 32:
    return sum_blocks<32>;
  case 64:
    return sum_blocks<64>;
  case 128:
    return sum_blocks<128>;
  case 256:
    return sum_blocks<256>;
  case 512:
    return sum_blocks<512>;
  case 1024:
    return sum_blocks<1024>;
  }
  return nullptr;
}

// Both launches, the second of which folds the sums of the first. Whether there is a kernel of that
// size. No caller is a template: the kernel is picked when the program runs.
bool sum_with_block(unsigned block, const int* in, size_t n, int* partials, int* sum,
                    unsigned grid) {
  const sum_kernel kernel = kernel_of(block);
  if (kernel == nullptr) return false;
  kernel<<<grid, block>>>(in, n, partials);
  kernel<<<1, block>>>(partials, grid, sum);
  CHECK(cudaGetLastError());
  return true;
}

int main() {
  const size_t n = 5000;
  const unsigned grid = 12;
  std::vector<int> values(n);
  int expected = 0;
  for (size_t i = 0; i < n; ++i) expected += values[i] = int(i % 7) - 2;

  int *in, *partials, *sum;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&partials, grid * sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  bool all_right = true;
  for (const unsigned block : {1, 2, 4, 8, 16, 32, 64, 96, 128, 256, 512, 1024}) {
    if (!sum_with_block(block, in, n, partials, sum, grid)) {
      std::printf("block %4u: there is no kernel of this size; use a power of two up to 1024\n",
                  block);
      continue;
    }
    int answer = 0;
    CHECK(cudaMemcpy(&answer, sum, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("block %4u: %d\n", block, answer);
    all_right = all_right && answer == expected;
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(partials));
  CHECK(cudaFree(sum));
  return all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
