// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sum(const int* in, int* out, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int i = blockIdx.x * block.size() + block.thread_rank();
  const int value = cg::reduce(warp, i < n ? in[i] : 0, cg::plus<int>());
  if (warp.thread_rank() == 0) atomicAdd(out, value);
}
