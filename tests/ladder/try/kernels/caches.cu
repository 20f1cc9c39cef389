// SPDX-License-Identifier: Apache-2.0
// Loads and stores with a hint for the caches.

// verdict: right
__global__ void sum_past_the_caches(const float* x, float* out, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  __shared__ float s[1024];
  float v = i < n ? __ldcg(x + i) : 0;
  if (i + 1 < n) v += __ldca(&x[i + 1]);
  if (i + 2 < n) v += __ldcs(&x[i + 2]) + 0 * __ldg(&x[i + 2]);
  if (i + 3 < n) v += __ldcv(&x[i + 3]) + 0 * __ldlu(&x[i + 3]);
  s[threadIdx.x] = v;
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
  }
  if (threadIdx.x == 0) __stcg(out + blockIdx.x, s[0]);
}

// verdict: bounds, wrong value
__global__ void sum_past_the_end(const float* x, float* out, int n) {
  __shared__ float s[1024];
  s[threadIdx.x] = __ldcs(x + blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
  }
  if (threadIdx.x == 0) __stcs(out + blockIdx.x, s[0]);
}
