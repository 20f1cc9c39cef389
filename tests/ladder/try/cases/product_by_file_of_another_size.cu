// SPDX-License-Identifier: Apache-2.0
// options: --block 16,16 --shape 32,32 --expect tests/ladder/try/cases/scan.npy
// verdict: refused
// says: has 256 elements, and with --shape 32,32 the kernel writes 1024

__global__ void matmul(const int* A, const int* B, int* C, int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  int s = 0;
  if (row < N && col < N) {
    for (int k = 0; k < N; k++) s += A[row * N + k] * B[k * N + col];
    C[row * N + col] = s;
  }
}
