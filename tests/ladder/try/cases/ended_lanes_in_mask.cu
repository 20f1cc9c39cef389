// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: warp mask, wrong value

__global__ void sum(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  for (int s = 16; s > 0; s /= 2)
    value += __shfl_down_sync(0xffffffff, value, s);  // here: warp mask
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}
