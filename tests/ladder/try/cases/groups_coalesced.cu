// SPDX-License-Identifier: Apache-2.0
// options: --expect sum
// verdict: right

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void sum(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    cg::coalesced_group g = cg::coalesced_threads();
    int v = cg::reduce(g, in[i], cg::plus<int>());
    if (g.thread_rank() == 0) atomicAdd(out, v);
  }
}
