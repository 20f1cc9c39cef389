// SPDX-License-Identifier: Apache-2.0
__global__ void my_sum(const int* in, int* out, int n) {
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[n - 1];
  }
