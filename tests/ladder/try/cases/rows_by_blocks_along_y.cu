// SPDX-License-Identifier: Apache-2.0
// options: --expect rows --block 32,8
// verdict: right

__global__ void rows(const float* m, float* out, int width, int height) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float v = 0;
  if (row < height)
    for (int x = threadIdx.x; x < width; x += 32) v += m[row * width + x];
  for (int s = 16; s; s /= 2) v += __shfl_down_sync(0xffffffff, v, s);
  if (threadIdx.x == 0 && row < height) out[row] = v;
}
