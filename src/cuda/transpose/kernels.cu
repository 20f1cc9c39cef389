// SPDX-License-Identifier: Apache-2.0
#include "cuda/transpose/any.cuh"
#include "cuda/transpose/narrow.cuh"
#include "cuda/transpose/tiles.cuh"
#include "cuda/transpose/transpose.hpp"

namespace onefold::cuda {
namespace {

template <int Item, class T>
void start(const transpose_launch& of, cudaStream_t stream) {
  switch (of.way) {
  case transpose_way::vectors:
    turn_matrix<Item, true><<<of.blocks, turn_threads, 0, stream>>>(of.copy, of.turns);
    break;
  case transpose_way::words:
    turn_matrix<Item, false><<<of.blocks, turn_threads, 0, stream>>>(of.copy, of.turns);
    break;
  case transpose_way::gather:
    copy_narrow<Item, true><<<of.blocks, turn_threads, 0, stream>>>(of.copy, of.share);
    break;
  case transpose_way::scatter:
    copy_narrow<Item, false><<<of.blocks, turn_threads, 0, stream>>>(of.copy, of.share);
    break;
  case transpose_way::items:
    copy_any<T><<<of.blocks, any_threads, 0, stream>>>(of.copy, of.tiles);
  }
}

}  // namespace

int launch_transpose(const transpose_launch& of, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  switch (of.copy.item_bytes) {
  case 1:
    start<1, std::uint8_t>(of, queue);
    break;
  case 2:
    start<2, std::uint16_t>(of, queue);
    break;
  case 4:
    start<4, std::uint32_t>(of, queue);
    break;
  default:
    start<8, std::uint64_t>(of, queue);
  }
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
