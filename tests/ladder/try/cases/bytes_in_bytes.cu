// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: wrong value

#include <cstdint>
__global__ void sum(const int8_t* in, int* out, int n) {
  __shared__ int8_t s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
}
