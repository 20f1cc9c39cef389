// SPDX-License-Identifier: Apache-2.0
// options: --expect sum --args in,scratch,out,n
// verdict: race, wrong value

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sum(const int* in, int* partial, int* out, int n) {
  __shared__ int total;
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) atomicAdd(&total, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
  if (grid.thread_rank() != 0) return;
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += partial[b];  // here: race
  out[0] = all;
}
