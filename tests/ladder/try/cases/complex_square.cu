// SPDX-License-Identifier: Apache-2.0
// options: --n 8 --block 4 --expect tests/ladder/try/cases/complex_squares.npy
// verdict: right

struct complex {
  float re, im;
};

__global__ void square(const complex* in, complex* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const complex c = in[i];
  out[i] = {c.re * c.re - c.im * c.im, 2 * c.re * c.im};
}
