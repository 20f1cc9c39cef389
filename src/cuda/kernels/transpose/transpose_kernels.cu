// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/transpose/any.cuh"
#include "cuda/kernels/transpose/tiles.cuh"
#include "cuda/kernels/transpose/transpose.hpp"

namespace onefold::cuda {

int launch_transpose(const transpose_launch& launch, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const std::int64_t item = launch.copy.item_bytes;
  const unsigned blocks = launch.across * launch.down;
  if (!launch.by_tiles()) {
    any_kernel_of(item)<<<blocks, any_threads, launch.tile.shared_bytes, queue>>>(
        launch.copy, launch.way, launch.tile, launch.down);
    return int(cudaGetLastError());
  }
  const bool aligned = launch.way == transpose_way::vectors;
  const turn_block block = turn_block_of(unsigned(item), aligned);
  const auto kernel = aligned ? turn_kernel_of<true>(item) : turn_kernel_of<false>(item);
  // Shared memory for as many blocks on a multiprocessor as the shape wants: L1 has the rest.
  constexpr unsigned of_a_block = 1024, all = 228 * 1024;  // what each takes besides; of an H200
  const unsigned percent = std::min((block.bytes + of_a_block) * block.blocks * 100 / all, 100u);
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, int(percent));
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(block.bytes));
  kernel<<<blocks, block.threads, block.bytes, queue>>>(launch.copy, launch.down);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
