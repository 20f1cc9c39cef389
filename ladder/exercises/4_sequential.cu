// SPDX-License-Identifier: Apache-2.0
// Exercise 4: neighbouring words. The elements of exercise 3 lie 2s apart, so several of them
// share a bank of shared memory.
//
// Task:   let the lower half of what is left take over the upper half, until one element is left:
//         the distance s of the marked loop starts at half the block and shrinks.
// Right:  the right sum, and no conflicts in shared memory.

__global__ void my_sum(const float* in, float* out, int n) {
  extern __shared__ float items[];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;
  items[tid] = i < n ? in[i] : 0;
  __syncthreads();

  for (int s = 1; s < blockDim.x; s *= 2) {  // <- your line
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) out[blockIdx.x] = items[0];
}
