// SPDX-License-Identifier: Apache-2.0
__global__ void my_sum(const int* in, int* out, int n) {
  __shared__ int buffer[];  // here: no size
  buffer[threadIdx.x] = in[threadIdx.x];
  out[blockIdx.x] = buffer[0];
}
