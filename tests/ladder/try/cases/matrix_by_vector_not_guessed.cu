// SPDX-License-Identifier: Apache-2.0
// options: --n 4096
// verdict: refused
// says: cannot be guessed

__global__ void matvec(const float* A, const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float v = 0;
  for (int c = 0; c < cols; ++c) v += A[r * cols + c] * x[c];
  y[r] = v;
}
