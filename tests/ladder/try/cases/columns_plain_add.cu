// SPDX-License-Identifier: Apache-2.0
// options: --expect columns --block 16,16
// verdict: race, wrong value

__global__ void column_sums(const int* in, int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x] += in[y * width + x];  // here: race
}
