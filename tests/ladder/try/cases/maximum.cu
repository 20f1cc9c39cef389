// SPDX-License-Identifier: Apache-2.0
// options: --expect max
// verdict: right

__global__ void maximum(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(out, in[i]);
}
