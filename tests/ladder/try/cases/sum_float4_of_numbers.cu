// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right
// says: not tested: lengths that are no multiple of 4

__global__ void sum(const float4* in, float* total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  const float4 v = in[i];
  atomicAdd(total, v.x + v.y + v.z + v.w);
}
