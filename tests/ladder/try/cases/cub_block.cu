// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: refused
// says: CUB, Thrust and other libraries are not supported

#include <cub/cub.cuh>  // here: refused

__global__ void sum(const int* in, int* out, int n) {
  if (threadIdx.x < n) atomicAdd(out, in[threadIdx.x]);
}
