// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: no progress, wrong value

__global__ void sum(const int* in, int* out, int n) {
  const int stride = blockDim.x / 512;
  int value = 0;
  for (int i = threadIdx.x; i < n; i += stride) value += in[i];  // here: no progress
  atomicAdd(out, value);
}
