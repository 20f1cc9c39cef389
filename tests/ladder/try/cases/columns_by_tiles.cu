// SPDX-License-Identifier: Apache-2.0
// options: --expect columns --block 32,8
// verdict: right

__global__ void column_sums(const float* m, float* out, int width, int height) {
  __shared__ float s[8][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  float v = 0;
  if (x < width)
    for (int y = threadIdx.y; y < height; y += 8) v += m[y * width + x];
  s[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y == 0 && x < width) {
    for (int k = 1; k < 8; ++k) v += s[k][threadIdx.x];
    out[x] = v;
  }
}
