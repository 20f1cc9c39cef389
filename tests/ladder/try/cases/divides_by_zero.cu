// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: crash

__global__ void sum(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i] / (n - n));  // here: crash
}
