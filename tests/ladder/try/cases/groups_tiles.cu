// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sum(const float* in, float* out, int n) {
  __shared__ float part[32];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0;
  for (int s = tile.size() / 2; s > 0; s /= 2) value += tile.shfl_down(value, s);
  if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = value;
  cg::sync(block);
  if (block.thread_rank() != 0) return;
  for (int k = 1; k < tile.meta_group_size(); ++k) value += part[k];
  out[blockIdx.x] = value;
}
