// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: elements never read, wrong value

__global__ void sum(const float4* in, float* total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, in[i].x + in[i].y + in[i].z);
}
