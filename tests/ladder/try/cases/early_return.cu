// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: divergent barrier, uninitialised, wrong value

__global__ void s(const int* a, int* o, int n) {
  __shared__ int m[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  m[threadIdx.x] = a[i];
  __syncthreads();
  for (int k = 128; k; k >>= 1) {
    if (threadIdx.x < k) m[threadIdx.x] += m[threadIdx.x + k];
    __syncthreads();
  }
  if (!threadIdx.x) o[blockIdx.x] = m[0];
}
