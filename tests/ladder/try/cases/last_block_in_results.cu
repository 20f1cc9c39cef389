// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right
// says: strict memory order asks for a __threadfence() between its atomic and its reads

__device__ unsigned int count = 0;
__shared__ bool isLastBlockDone;
__global__ void sum(const float* array, unsigned int N, volatile float* result) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = 0;
  for (unsigned i = blockIdx.x * blockDim.x + t; i < N; i += gridDim.x * blockDim.x) v += array[i];
  s[t] = v;
  __syncthreads();
  for (int k = 128; k; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) {
    result[blockIdx.x] = s[0];
    __threadfence();
    unsigned v = atomicInc(&count, gridDim.x);
    isLastBlockDone = (v == gridDim.x - 1);
  }
  __syncthreads();
  if (isLastBlockDone && t == 0) {
    float tot = 0;
    for (int i = 0; i < gridDim.x; i++) tot += result[i];
    result[0] = tot;
    count = 0;
  }
}
