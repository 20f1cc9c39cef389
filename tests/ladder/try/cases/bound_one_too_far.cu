// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: bounds, wrong value

__global__ void sum(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = 0;
  if (i <= n) v = in[i];  // here: bounds
  for (int s = 16; s; s /= 2) v += __shfl_down_sync(0xffffffff, v, s);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
