// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: divergent barrier

__global__ void sum(const int* in, int* out, int n) {
  __shared__ int part[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) {
      part[threadIdx.x] += part[threadIdx.x + s];
      __syncthreads();  // here: divergent barrier
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
