// SPDX-License-Identifier: Apache-2.0
// The copy of elements that lie anywhere.
#include <algorithm>

#include "cuda/kernels/gather/gather.cuh"

namespace onefold::cuda {

int launch_gather(const gather_launch& launch, unsigned multiprocessors, void* stream) {
  constexpr unsigned warps = gather_threads / warp_lanes, blocks_each = 8;
  const unsigned wanted = (launch.tasks - 1) / warps + 1;
  gather_elements<<<std::min(wanted, blocks_each * multiprocessors), gather_threads, 0,
                    static_cast<cudaStream_t>(stream)>>>(launch);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
