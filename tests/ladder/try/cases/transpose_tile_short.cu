// SPDX-License-Identifier: Apache-2.0
// options: --block 16,16 --expect transpose
// verdict: bounds, wrong value

__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[15][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];  // here: bounds
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
