// SPDX-License-Identifier: Apache-2.0
// Exercise 3: neighbouring lanes. In the tree of exercise 1 the working lanes lie 2s apart, so
// every warp stays busy with fewer and fewer of its lanes.
//
// Task:   let lane 0 fold the first pair, lane 1 the second, and so on: at distance s the pairs
//         begin at 0, 2s, 4s, ... The marked line says where the pair of lane tid begins.
// Right:  the right sum; 384 divergent branches, where the tree of exercise 1 has 3072.

__global__ void my_sum(const float* in, float* out, int n) {
  extern __shared__ float items[];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;
  items[tid] = i < n ? in[i] : 0;
  __syncthreads();

  for (int s = 1; s < blockDim.x; s *= 2) {
    const int left = tid;  // <- your line
    if (left + s < blockDim.x) items[left] += items[left + s];
    __syncthreads();
  }

  if (tid == 0) out[blockIdx.x] = items[0];
}
