// SPDX-License-Identifier: Apache-2.0
// options: --expect rows --block 32,8
// verdict: uninitialised, race, wrong value

__global__ void rows(const float* m, float* out, int width, int height) {
  __shared__ float s[8][33];
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  float v = 0;
  if (row < height)
    for (int x = threadIdx.x; x < width; x += blockDim.x) v += m[row * width + x];
  s[threadIdx.y][threadIdx.x] = v;  // here: race
  for (int k = 16; k; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.y][threadIdx.x] += s[threadIdx.y][threadIdx.x + k];
  }
  if (threadIdx.x == 0 && row < height) out[row] = s[threadIdx.y][0];
}
