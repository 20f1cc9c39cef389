// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: refused
// says: whose lanes no longer run in step

__global__ void sum(const int* in, int* out, int n) {
  int value = in[threadIdx.x];
  for (int s = 16; s > 0; s /= 2) value += __shfl_down(value, s);  // here: refused
  if (threadIdx.x == 0) out[0] = value;
}
