// SPDX-License-Identifier: Apache-2.0
// options: --expect argmax
// verdict: wrong value
// says: {value -0.0625, index

struct candidate {
  float value;
  int index;
};

// The index counts from the block's first element.
__global__ void argmax(const float* in, candidate* out, int n) {
  __shared__ candidate best[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  best[threadIdx.x] = candidate{i < n ? in[i] : -INFINITY, static_cast<int>(threadIdx.x)};
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s && best[threadIdx.x + s].value > best[threadIdx.x].value) {
      best[threadIdx.x] = best[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = best[0];
}
