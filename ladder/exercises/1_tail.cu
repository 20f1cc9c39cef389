// SPDX-License-Identifier: Apache-2.0
// Exercise 1: the tail. The last block may own fewer elements than it has lanes.
//
// Task:   change the marked line so that a lane without an element takes 0 instead.
// Right:  no read past the end of in, and the right sum, at every length.

__global__ void my_sum(const float* in, float* out, int n) {
  extern __shared__ float items[];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;
  items[tid] = in[i];  // <- your line
  __syncthreads();

  for (int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) out[blockIdx.x] = items[0];
}
