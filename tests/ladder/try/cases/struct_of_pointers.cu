// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right

struct arrays {
  const int* in;
  int* out;
  int n;
};

__global__ void sum(arrays given) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < given.n) atomicAdd(given.out, given.in[i]);
}
