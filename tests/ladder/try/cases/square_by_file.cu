// SPDX-License-Identifier: Apache-2.0
// options: --n 8 --block 4 --expect tests/ladder/try/cases/squares.npy
// verdict: right

__global__ void square(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}
