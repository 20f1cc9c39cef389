// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: no progress, wrong value

__global__ void s(const int* a, int* o, int n) {
  __shared__ int m[256];
  unsigned t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  m[t] = i < n ? a[i] : 0;
  __syncthreads();
  for (unsigned k = 128; k >= 0; k >>= 1) {
    if (t < k) m[t] += m[t + k];
    __syncthreads();
  }
  if (!t) o[blockIdx.x] = m[0];
}
