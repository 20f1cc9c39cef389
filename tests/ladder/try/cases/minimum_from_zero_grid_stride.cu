// SPDX-License-Identifier: Apache-2.0
// options: --op min
// verdict: wrong identity, wrong value
// says: the identity of a minimum is inf

__global__ void minKernel(const float* a, float* result, int n) {
  __shared__ float sm[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float m = 0.0f;
  for (; i < n; i += blockDim.x * gridDim.x) m = fminf(m, a[i]);
  sm[threadIdx.x] = m;
  __syncthreads();
  for (int s = blockDim.x >> 1; s; s >>= 1) {
    if (threadIdx.x < s) sm[threadIdx.x] = fminf(sm[threadIdx.x], sm[threadIdx.x + s]);
    __syncthreads();
  }
  if (!threadIdx.x) result[blockIdx.x] = sm[0];
}
