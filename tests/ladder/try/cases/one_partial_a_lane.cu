// SPDX-License-Identifier: Apache-2.0
// options: --expect sum --grid 4
// verdict: right

__global__ void sum(const int* in, int* out, int n) {
  const int lane = blockIdx.x * blockDim.x + threadIdx.x;
  int value = 0;
  for (int i = lane; i < n; i += gridDim.x * blockDim.x) value += in[i];
  out[lane] = value;
}
