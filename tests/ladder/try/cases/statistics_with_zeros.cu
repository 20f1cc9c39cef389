// SPDX-License-Identifier: Apache-2.0
// options: --expect fields
// verdict: wrong value
// says: the result is {sum

struct summary {
  float sum, sq, lo, hi;
};

__device__ summary merge(const summary& a, const summary& b) {
  return {a.sum + b.sum, a.sq + b.sq, fminf(a.lo, b.lo), fmaxf(a.hi, b.hi)};
}

__global__ void summarise(const float* x, summary* out, int n) {
  __shared__ summary part[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = i < n ? x[i] : 0.0f;
  part[threadIdx.x] = {v, v * v, v, v};
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) part[threadIdx.x] = merge(part[threadIdx.x], part[threadIdx.x + s]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
