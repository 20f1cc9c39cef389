// SPDX-License-Identifier: Apache-2.0
// options: --expect rows --block 128 --grid 4
// verdict: race, wrong value

__global__ void row_sums(const float* in, float* out, int width, int height) {
  __shared__ float s[128];
  for (int row = blockIdx.x; row < height; row += gridDim.x) {
    float v = 0;
    for (int x = threadIdx.x; x < width; x += blockDim.x) v += in[row * width + x];
    s[threadIdx.x] = v;  // here: race
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
      if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
      if (k > 1) __syncthreads();
    }
    if (threadIdx.x == 0) out[row] = s[0];
  }
}
