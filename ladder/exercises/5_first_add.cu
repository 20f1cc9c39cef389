// SPDX-License-Identifier: Apache-2.0
// Exercise 5: two elements a lane. Half the lanes of exercise 4 do nothing after their load, so
// here each loads two elements, and half the blocks are launched.
//
// Task:   a block now owns 2 * blockDim.x elements. Change the marked line so that it starts
//         where its elements start.
// Right:  the right sum; every element is read once.

__global__ void my_sum(const float* in, float* out, int n) {
  extern __shared__ float items[];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;  // <- your line
  float value = i < n ? in[i] : 0;
  if (i + blockDim.x < n) value += in[i + blockDim.x];
  items[tid] = value;
  __syncthreads();

  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) out[blockIdx.x] = items[0];
}
