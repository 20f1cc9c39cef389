// SPDX-License-Identifier: Apache-2.0
// options: --expect argmax
// verdict: wrong value
// says: the argmax is {value 0, index -1}

struct candidate {
  float value;
  int index;
};

__global__ void argmax(const candidate* in, candidate* out, int n) {
  __shared__ candidate best[256];
  candidate value{0.0f, -1};  // negative elements never win
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i].value > value.value) value = in[i];
  best[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s && best[threadIdx.x + s].value > best[threadIdx.x].value) {
      best[threadIdx.x] = best[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = best[0];
}
