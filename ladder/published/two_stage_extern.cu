// SPDX-License-Identifier: Apache-2.0
// published/two-stage-extern: the load of reduce/two-stage with the defect it was printed with. It
// does not compile, and is compiled only by the test that says so.
//
// Shared memory whose size the launch decides is declared `extern`. Without that word the array
// needs a size.

#include "simt/simt.hpp"

__global__ void reduce_two_stage_extern(const int* in, std::size_t n, int* partials) {
  __shared__ int items[];
  const unsigned tid = threadIdx.x;

  int value = 0;
  const std::size_t round = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid; at < n; at += round) {
    value += in[at];
  }
  items[tid] = value;
  __syncthreads();

  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}
