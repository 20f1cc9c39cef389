// SPDX-License-Identifier: Apache-2.0
// options: --block 16,16 --expect transpose
// verdict: wrong value

__global__ void transpose(const int* in, int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[y * width + x];  // here: wrong value
}
