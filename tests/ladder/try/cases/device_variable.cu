// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right

__device__ unsigned ended = 0;

__global__ void sum(const int* in, int* partial, int* out, int n) {
  __shared__ int total;
  __shared__ bool last;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = total;
    __threadfence();
    last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += partial[b];
  out[0] = all;
}
