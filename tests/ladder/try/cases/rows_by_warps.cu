// SPDX-License-Identifier: Apache-2.0
// options: --expect rows --block 32,4
// verdict: right

__global__ void rows(const double* m, double* out, int w, int h) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= h) return;
  double v = 0;
  for (int x = threadIdx.x; x < w; x += 32) v += m[(size_t)row * w + x];
  for (int s = 16; s; s /= 2) v += __shfl_xor_sync(0xffffffff, v, s);
  if (threadIdx.x == 0) out[row] = v;
}
