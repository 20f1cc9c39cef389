// SPDX-License-Identifier: Apache-2.0
// options: --expect add --block 32,4
// verdict: right

__global__ void add(const float* a, const float* b, float* c, int cols, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) c[y * cols + x] = a[y * cols + x] + b[y * cols + x];
}
