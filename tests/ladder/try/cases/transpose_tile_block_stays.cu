// SPDX-License-Identifier: Apache-2.0
// options: --block 32,32 --expect transpose
// verdict: uninitialised, wrong value
// says: row 0, column 32

#define TILE 32
__global__ void transposeTile(float* odata, const float* idata, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = idata[y * width + x];
  __syncthreads();
  int xo = blockIdx.x * TILE + threadIdx.x;
  int yo = blockIdx.y * TILE + threadIdx.y;
  if (xo < height && yo < width) odata[yo * height + xo] = tile[threadIdx.x][threadIdx.y];
}
