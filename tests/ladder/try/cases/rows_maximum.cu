// SPDX-License-Identifier: Apache-2.0
// options: --expect rows --op max
// verdict: right

__global__ void row_maxima(const float* in, float* out, int width, int height) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  float most = in[y * width];
  for (int x = 1; x < width; ++x) most = fmaxf(most, in[y * width + x]);
  out[y] = most;
}
