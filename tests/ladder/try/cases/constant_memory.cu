// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right

__constant__ int weights[2] = {1, 1};

__global__ void sum(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, weights[i % 2] * in[i]);
}
