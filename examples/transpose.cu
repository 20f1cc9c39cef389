// SPDX-License-Identifier: Apache-2.0
// The transpose of a matrix by tiles in shared memory: rows are read and rows are written.
//
//   onefold ladder try examples/transpose.cu --kernel transpose --block 16,16 --expect transpose
//
// compiles it and checks it without a GPU. What does the command report when
//   - the __syncthreads() is missing?
//   - the second comparison is of x with width and of y with height?
//   - the tile has no column more than it needs? (compare the shared load conflicts)

constexpr int tile = 16;

__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float items[tile][tile + 1];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  if (x < width && y < height) items[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();

  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = items[threadIdx.x][threadIdx.y];
}
