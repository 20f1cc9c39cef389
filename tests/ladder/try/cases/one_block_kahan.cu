// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right
// says: several blocks: the kernel never asks which one it is in

__global__ void kahan(const float* in, float* out, int n) {
  __shared__ float s[256];
  float sum = 0, c = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float y = in[i] - c;
    float t = sum + y;
    c = (t - sum) - y;
    sum = t;
  }
  s[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0, e = 0;
    for (int i = 0; i < blockDim.x; ++i) {
      float y = s[i] - e;
      float t = total + y;
      e = (t - total) - y;
      total = t;
    }
    out[0] = total;
  }
}
