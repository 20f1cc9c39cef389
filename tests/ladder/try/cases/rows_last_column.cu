// SPDX-License-Identifier: Apache-2.0
// options: --expect rows
// verdict: wrong value

__global__ void row_sums(const int* in, int* out, int width, int height) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  int sum = 0;
  for (int x = 0; x < width - 1; ++x) sum += in[y * width + x];
  out[y] = sum;  // here: wrong value
}
