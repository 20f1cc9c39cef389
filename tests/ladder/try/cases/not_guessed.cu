// SPDX-License-Identifier: Apache-2.0
// options:
// verdict: refused
// says: cannot be guessed

__global__ void square(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}
