// SPDX-License-Identifier: Apache-2.0
// Fast reductions of whole arrays.

#include "cuda/ordered/fast.cuh"
#include "cuda/ordered/ordered.hpp"

#include <algorithm>

namespace onefold::cuda {
namespace {

/// More blocks than these wait for the memory of all, not for their multiprocessor.
constexpr unsigned few_blocks = 64;

/// For blocks of which a multiprocessor works on so many at a time.
ring_shape shape_for(int arrays, chunk_grid grid) {
  constexpr int reserved = 2048;  // of a block: by the system, and the lanes' sums
  int device = 0, of_all = 0, of_block = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&of_all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  cudaDeviceGetAttribute(&of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  const int most = std::min(of_block, of_all / int(grid.blocks_each)) - reserved;
  int which = grid.blocks <= few_blocks ? 0 : 1;
  while (which < ring_shapes - 1 && int(ring_bytes(arrays, ring_shape_of(which))) > most) ++which;
  return ring_shape_of(which);
}

template <accumulator Accumulator, class T>
int launch_sums(const full_request& of, chunk_grid grid, std::int64_t* words, void* stream) {
  constexpr int arrays = fast_term<Accumulator>::arrays;
  const ring_shape shape = shape_for(arrays, grid);
  const unsigned bytes = ring_bytes(arrays, shape);
  if (const auto refused = cudaFuncSetAttribute(
          fast_sums<Accumulator, T>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
      refused != cudaSuccess)
    return int(refused);
  fast_sums<Accumulator, T>
      <<<grid.blocks, ring_threads, bytes, static_cast<cudaStream_t>(stream)>>>(
          static_cast<const T*>(of.x), static_cast<const T*>(of.y), of.n, words, shape);
  return int(cudaGetLastError());
}

template <class T>
int launch_moments(const full_request& of, chunk_grid grid, std::int64_t* words, void* stream) {
  fast_chunk_moments<T><<<grid.blocks, chunk_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const T*>(of.x), of.n, fast_number<T>(of.input == dtype::boolean ? 1 : 255),
      words);
  return int(cudaGetLastError());
}

template <class T>
ordered_entry floating_entry_of(accumulator of) {
  switch (of) {
  case accumulator::total:
    return {1, launch_sums<accumulator::total, T>};
  case accumulator::magnitudes:
    return {1, launch_sums<accumulator::magnitudes, T>};
  case accumulator::squares:
    return {1, launch_sums<accumulator::squares, T>};
  case accumulator::products:
    return {1, launch_sums<accumulator::products, T>};
  default:
    return {};
  }
}

}  // namespace

ordered_entry fast_entry(accumulator of, dtype input) {
  return with_type(input, [&]<class T>(detail::tag<T>) -> ordered_entry {
    if (of == accumulator::moments)
      return {2, launch_moments<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>};
    if constexpr (!std::is_integral_v<T>) return floating_entry_of<T>(of);
    return {};
  });
}

}  // namespace onefold::cuda
