// SPDX-License-Identifier: Apache-2.0
// options: --block 16,16 --expect transpose
// verdict: bounds, race, wrong value

__global__ void transpose(const int* in, int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * height + y] = in[y * width + x];  // here: bounds
}
