// SPDX-License-Identifier: Apache-2.0
// options: --block 8,8,4 --expect sum
// verdict: right

__global__ void sum(const int* in, int* total, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < width && y < height && z < depth) atomicAdd(total, in[(z * height + y) * width + x]);
}
