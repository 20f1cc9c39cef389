// SPDX-License-Identifier: Apache-2.0
// options: --expect columns
// verdict: right

__global__ void column_sums(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  float sum = 0;
  for (int y = 0; y < height; ++y) sum += in[y * width + x];
  out[x] = sum;
}
