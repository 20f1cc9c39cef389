// SPDX-License-Identifier: Apache-2.0
// options: --block 32,8 --expect transpose
// verdict: right

__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][33];
  const int width = gridDim.x * 32, height = gridDim.y * 32;
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
