// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right
// says: not tested: 'factor' was 1 in every launch

__global__ void scaled_sum(const float* in, float* out, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, factor * in[i]);
}
