// SPDX-License-Identifier: Apache-2.0
// options: --expect rows
// verdict: right

__global__ void row_sums(const unsigned char* in, unsigned* out, int width, int height) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  unsigned sum = 0;
  for (int x = 0; x < width; ++x) sum += in[y * width + x];
  out[y] = sum;
}
