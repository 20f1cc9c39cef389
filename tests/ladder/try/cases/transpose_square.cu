// SPDX-License-Identifier: Apache-2.0
// options: --block 16,16 --expect transpose
// verdict: right

__global__ void transpose(const int* in, int* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
