// SPDX-License-Identifier: Apache-2.0
// options: --expect columns --op max
// verdict: wrong value

__global__ void col_max(const float* m, float* best, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  float v = 0;
  for (int y = 1; y < height; ++y) v = fmaxf(v, m[y * width + x]);
  best[x] = v;  // here: wrong value
}
