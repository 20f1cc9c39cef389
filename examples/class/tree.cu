// SPDX-License-Identifier: Apache-2.0
// Right, but every step of the tree goes through shared memory.
__global__ void block_sum(const int* in, int* out, int n) {
  __shared__ int items[1024];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  items[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (t < k) items[t] += items[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = items[0];
}
