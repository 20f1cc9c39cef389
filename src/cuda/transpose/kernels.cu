// SPDX-License-Identifier: Apache-2.0
#include "cuda/transpose/any.cuh"
#include "cuda/transpose/narrow.cuh"
#include "cuda/transpose/tiles.cuh"
#include "cuda/transpose/transpose.hpp"

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

template <int Item, bool Vectors>
void start_turns(const transpose_launch& of, cudaStream_t stream) {
  using shape = turn_shape<Item, Vectors>;
  share_memory(turn_matrix<Item, Vectors>, shape::bytes, shape::blocks);
  turn_matrix<Item, Vectors>
      <<<of.blocks, shape::threads, shape::bytes, stream>>>(of.copy, of.turns);
}

template <int Item>
void start(const transpose_launch& of, cudaStream_t stream) {
  switch (of.way) {
  case transpose_way::vectors:
    return start_turns<Item, true>(of, stream);
  case transpose_way::words:
    return start_turns<Item, false>(of, stream);
  case transpose_way::gather:
    copy_narrow<Item, true>
        <<<of.blocks, narrow_threads, of.slab.shared_bytes, stream>>>(of.copy, of.slab);
    break;
  case transpose_way::scatter:
    copy_narrow<Item, false>
        <<<of.blocks, narrow_threads, of.slab.shared_bytes, stream>>>(of.copy, of.slab);
    break;
  case transpose_way::items:
    copy_any<<<of.blocks, any_threads, 0, stream>>>(of.copy, of.tiles);
  }
}

}  // namespace

int launch_transpose(const transpose_launch& of, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  switch (of.copy.item_bytes) {
  case 1:
    start<1>(of, queue);
    break;
  case 2:
    start<2>(of, queue);
    break;
  case 4:
    start<4>(of, queue);
    break;
  default:
    start<8>(of, queue);
  }
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
