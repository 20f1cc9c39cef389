// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right

#include <cuda_fp16.h>
__global__ void sum(const __half2* in, float* out, int n2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  if (i < n2) {
    float2 f = __half22float2(in[i]);
    v = f.x + f.y;
  }
  for (int s = 16; s; s /= 2) v += __shfl_down_sync(0xffffffff, v, s);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
