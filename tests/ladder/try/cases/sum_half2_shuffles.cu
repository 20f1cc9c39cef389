// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: wrong value

#include <cuda_fp16.h>
__global__ void sum(const half2* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  half2 v = i < n ? in[i] : __float2half2_rn(0.0f);
  // The total of a warp is rounded to half, and the answer is a float.
  for (int s = 16; s; s /= 2) v = __hadd2(v, __shfl_down_sync(0xffffffff, v, s));
  if (threadIdx.x % 32 == 0) atomicAdd(out, __low2float(v) + __high2float(v));
}
