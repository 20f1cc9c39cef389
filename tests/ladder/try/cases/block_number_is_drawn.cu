// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right
// says: grid 64

__device__ unsigned next_tile = 0;
__device__ unsigned finished = 0;
__global__ void sum(const int* in, int* out, int n) {
  __shared__ unsigned tile;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1);
    __syncthreads();
    unsigned i = tile * blockDim.x + threadIdx.x;
    bool any = tile * blockDim.x < n;
    if (i < n) atomicAdd(out, in[i]);
    __syncthreads();
    if (!any) break;
  }
  if (threadIdx.x == 0 && atomicAdd(&finished, 1) == gridDim.x - 1) {
    next_tile = 0;
    finished = 0;
  }
}
