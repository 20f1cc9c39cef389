// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: elements never read, wrong value

__global__ void sum(const int* in, int* out, int n) {
  int i = threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
