// SPDX-License-Identifier: Apache-2.0
// options: --expect columns --shape 96,64 --grid 3,4 --block 32,16
// verdict: right

__global__ void column_sums(const unsigned char* in, unsigned* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) atomicAdd(&out[x], (unsigned)in[y * width + x]);
}
