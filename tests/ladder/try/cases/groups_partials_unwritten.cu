// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: uninitialised, wrong value

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void sum(const int* in, int* out, int n) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < n; i += gridDim.x * blockDim.x)
    v += in[i];
  v = cg::reduce(warp, v, cg::plus<int>());
  __shared__ int s[32];
  if (warp.thread_rank() == 0) s[warp.meta_group_rank()] = v;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    v = s[warp.thread_rank()];  // here: uninitialised
    v = cg::reduce(warp, v, cg::plus<int>());
    if (warp.thread_rank() == 0) atomicAdd(out, v);
  }
}
