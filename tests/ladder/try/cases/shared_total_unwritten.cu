// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: uninitialised, wrong value

__global__ void sum(const int* in, int* out, int n) {
  __shared__ int total;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, in[i]);  // here: uninitialised
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, total);
}
