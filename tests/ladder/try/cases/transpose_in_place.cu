// SPDX-License-Identifier: Apache-2.0
// options: --block 16,16 --expect transpose
// verdict: right

__global__ void transpose(float* matrix, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= x) return;
  const float upper = matrix[y * n + x];
  matrix[y * n + x] = matrix[x * n + y];
  matrix[x * n + y] = upper;
}
