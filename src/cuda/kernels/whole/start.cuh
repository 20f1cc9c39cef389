// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a kernel of whole arrays is started, and the choice of its loop.

#include "cuda/accumulators/block.cuh"
#include "cuda/kernels/whole/whole_entry.hpp"
#include "cuda/primitives/array_parts.cuh"
#include "cuda/primitives/grid.cuh"
#include "cuda/rounding/epilogue.cuh"

namespace onefold::cuda {

inline bool equally_aligned(const void* x, const void* y) {
  return (reinterpret_cast<std::uintptr_t>(x) - reinterpret_cast<std::uintptr_t>(y)) % 16 == 0;
}

/// Kernels::start<Second>(request, grid, shared bytes, workspace, words, stream) for the request's
/// loop.
template <class Kernels>
int launch_entry(const whole_request& r, grid_shape grid, void* workspace, std::int64_t* words,
                 void* stream) {
  using traits = typename Kernels::traits;
  const unsigned shared = Kernels::shared_words(grid.threads) * unsigned(sizeof(std::int64_t));
  auto* const list = static_cast<grid_workspace<traits::words>*>(workspace);
  auto* const queue = static_cast<cudaStream_t>(stream);
  constexpr bool by_vectors = traits::pairs && Kernels::pairs_of_vectors;
  constexpr second any_way = traits::pairs ? second::apart : second::none;
  constexpr second best = by_vectors ? second::aligned : any_way;
  if (equally_aligned(r.x, r.y))
    Kernels::template start<best>(r, grid, shared, list, words, queue);
  else
    Kernels::template start<any_way>(r, grid, shared, list, words, queue);
  return int(cudaGetLastError());
}

template <class Kernels>
whole_entry entry_of() {
  return {sizeof(grid_workspace<Kernels::traits::words>), Kernels::threads, Kernels::blocks_each,
          launch_entry<Kernels>, Kernels::least_threads};
}

}  // namespace onefold::cuda
