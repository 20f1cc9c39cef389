// SPDX-License-Identifier: Apache-2.0
// options: --block 16,16 --expect transpose
// verdict: right

struct matrix_size {
  int width, height;
};

__global__ void transpose(const float* in, float* out, matrix_size size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < size.width && y < size.height) out[x * size.height + y] = in[y * size.width + x];
}
