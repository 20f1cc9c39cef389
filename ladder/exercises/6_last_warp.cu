// SPDX-License-Identifier: Apache-2.0
// Exercise 6: the last warp. Its 32 lanes need no barrier of the whole block, but they need one
// of their own: since Volta nothing else keeps the lanes of a warp in step.
//
// Task:   replace the marked line. Every lane reads its two elements before any lane writes, and
//         writes before any lane reads again: __syncwarp() orders the lanes of a warp.
// Right:  no race, and the right sum in every schedule.

__global__ void my_sum(const float* in, float* out, int n) {
  extern __shared__ float items[];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;
  items[tid] = i < n ? in[i] : 0;
  __syncthreads();

  for (int s = blockDim.x / 2; s > 32; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid < 32) {
    for (int s = 32; s > 0; s /= 2) {
      items[tid] += items[tid + s];  // <- your lines
    }
  }

  if (tid == 0) out[blockIdx.x] = items[0];
}
