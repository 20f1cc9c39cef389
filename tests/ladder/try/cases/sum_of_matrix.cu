// SPDX-License-Identifier: Apache-2.0
// options: --block 16,16 --expect sum
// verdict: right

__global__ void sum(const int* in, int* total, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) atomicAdd(total, in[y * width + x]);
}
