// SPDX-License-Identifier: Apache-2.0
// options: --expect argmax
// verdict: right
// says: assumed: 'index' of element i is i; 'value' varies

struct candidate {
  float value;
  int index;
};

__device__ candidate better(candidate a, candidate b) {
  return b.value > a.value || a.value != a.value ? b : a;
}

__global__ void argmax(const candidate* in, candidate* out, int n) {
  __shared__ candidate best[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  best[threadIdx.x] = i < n ? in[i] : candidate{-INFINITY, -1};
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) best[threadIdx.x] = better(best[threadIdx.x], best[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = best[0];
}
