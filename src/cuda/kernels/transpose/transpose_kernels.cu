// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/transpose/any.cuh"
#include "cuda/kernels/transpose/narrow.cuh"
#include "cuda/kernels/transpose/tiles.cuh"
#include "cuda/kernels/transpose/transpose.hpp"

namespace onefold::cuda {
namespace {

/// Shared memory for as many blocks on a multiprocessor as the shape wants: L1 has the rest.
template <class Kernel>
void share_memory(Kernel* kernel, unsigned bytes, unsigned blocks) {
  constexpr unsigned of_a_block = 1024, all = 228 * 1024;  // what each takes besides; of an H200
  const unsigned percent = std::min((bytes + of_a_block) * blocks * 100 / all, 100u);
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, int(percent));
  if (bytes > 48 * 1024)
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
}

void start_turns(const transpose_launch& launch, bool vectors, cudaStream_t stream) {
  const std::int64_t item = launch.copy.item_bytes;
  const turn_block block = turn_block_of(unsigned(item), vectors);
  const auto kernel = vectors ? turn_kernel_of<true>(item) : turn_kernel_of<false>(item);
  share_memory(kernel, block.bytes, block.blocks);
  kernel<<<launch.blocks, block.threads, block.bytes, stream>>>(launch.copy, launch.turns);
}

void start_narrow(const transpose_launch& launch, bool gathers, cudaStream_t stream) {
  const std::int64_t item = launch.copy.item_bytes;
  const auto kernel = gathers ? narrow_kernel_of<true>(item) : narrow_kernel_of<false>(item);
  kernel<<<launch.blocks, narrow_threads, launch.slab.shared_bytes, stream>>>(launch.copy,
                                                                              launch.slab);
}

}  // namespace

int launch_transpose(const transpose_launch& launch, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  if (launch.way == transpose_way::items)
    copy_any<<<launch.blocks, any_threads, 0, queue>>>(launch.copy, launch.tiles);
  else if (launch.way == transpose_way::vectors || launch.way == transpose_way::words)
    start_turns(launch, launch.way == transpose_way::vectors, queue);
  else
    start_narrow(launch, launch.way == transpose_way::gather, queue);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
