// SPDX-License-Identifier: Apache-2.0
__global__ void my_sum(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[0] = total + in[i];  // here: total
}
