// SPDX-License-Identifier: Apache-2.0
// Right, and at its goal: warps add in registers, and shared memory has one number a warp.
__global__ void block_sum(const int* in, int* out, int n) {
  __shared__ int of_warps[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = i < n ? in[i] : 0;
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffff, sum, k);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0;
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffff, sum, k);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
