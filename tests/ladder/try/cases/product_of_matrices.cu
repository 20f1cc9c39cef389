// SPDX-License-Identifier: Apache-2.0
// options: --block 16,16
// verdict: refused
// says: are read more than once: what it is cannot be guessed

__global__ void matmul(const float* A, const float* B, float* C, int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  if (row < N && col < N) {
    for (int k = 0; k < N; k++) s += A[row * N + k] * B[k * N + col];
    C[row * N + col] = s;
  }
}
