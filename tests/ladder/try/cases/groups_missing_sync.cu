// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: uninitialised, race, wrong value

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sum(const int* in, int* out, int n) {
  __shared__ int part[32];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = cg::reduce(tile, i < n ? in[i] : 0, cg::plus<int>());
  if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = value;
  if (block.thread_rank() != 0) return;
  for (int k = 1; k < tile.meta_group_size(); ++k) value += part[k];  // here: race
  out[blockIdx.x] = value;
}
