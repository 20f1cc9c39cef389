// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/bulk-copy: one thread starts the copy of a tile for the whole block.
//
// Since sm_90 one instruction copies a multiple of 16 bytes from global to shared memory. One
// thread issues it; the others compute no addresses and issue no loads. An mbarrier tells them that
// the bytes are there: a word in shared memory that counts arrivals and bytes. The thread announces
// the bytes, the copy counts them off, and all that wait for the phase see them. Phases end in
// turn, so a bit, the parity, tells one from the next. A block has two tiles, one being folded, one
// on its way; __syncthreads says when the first may be overwritten.

#include "ladder/operators.cuh"
#include "ladder/reduce/vector_parts.cuh"

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#include <cuda/ptx>
#endif

// An earlier device has no such copy: there the lanes load.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define ONEFOLD_LADDER_BULK_COPIES
#endif

namespace onefold::ladder {

inline constexpr unsigned tiles_in_flight = 2;

#if defined(ONEFOLD_LADDER_BULK_COPIES)

/// Copies `bytes` from `from` to `tile`, both multiples of 16 as the bytes are, and lets `arrived`
/// count them. One lane.
static inline __device__ void begin_bulk_copy(void* tile, const void* from, unsigned bytes,
                                              std::uint64_t* arrived) {
  using namespace ::cuda::ptx;
  mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, arrived, bytes);
  cp_async_bulk(space_cluster, space_global, tile, from, bytes, arrived);
}

/// The fold of this lane's share of body[count], whose tiles of a vector a lane go round the
/// blocks.
template <class Operator, class T>
static __device__ T fold_tiles(const vector_of<T>* body, std::size_t count, vector_of<T>* tiles) {
  __shared__ std::uint64_t arrived[tiles_in_flight];
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const auto copy = [&](std::size_t first, unsigned slot) {
    if (first >= count || threadIdx.x != 0) return;
    const auto items = static_cast<unsigned>(min(std::size_t{blockDim.x}, count - first));
    begin_bulk_copy(tiles + slot * blockDim.x, body + first, items * unsigned{sizeof(*body)},
                    &arrived[slot]);
  };

  const std::size_t begin = std::size_t{blockIdx.x} * blockDim.x;
  if (threadIdx.x == 0) {
    for (std::uint64_t& barrier : arrived) ::cuda::ptx::mbarrier_init(&barrier, 1);
    ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
  }
  __syncthreads();
  for (unsigned slot = 0; slot < tiles_in_flight; ++slot) copy(begin + slot * step, slot);

  T value = Operator::identity;
  unsigned slot = 0, parity = 0;
  for (std::size_t first = begin; first < count; first += step) {
    while (!::cuda::ptx::mbarrier_try_wait_parity(&arrived[slot], parity)) {
    }
    if (first + threadIdx.x < count) {
      const vector_of<T> copied = tiles[slot * blockDim.x + threadIdx.x];
      value = fold_vector<Operator>(value, copied);
    }
    __syncthreads();
    copy(first + tiles_in_flight * step, slot);
    slot = (slot + 1) % tiles_in_flight;
    if (slot == 0) parity ^= 1;
  }
  return value;
}

#endif

/// Shape:  in[n], n >= 0, aligned to T; partials[grid]; block a power of two; any grid; dynamic
///         shared memory for tiles_in_flight vectors a lane and a value a warp.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator>
__global__ void reduce_bulk_copy(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(vector_of<T>, tiles);
  T* const warps = reinterpret_cast<T*>(tiles + tiles_in_flight * blockDim.x);
#if defined(ONEFOLD_LADDER_BULK_COPIES)
  const vector_parts<T> parts(in, n);
  T value = fold_tiles<Operator, T>(parts.body, parts.count, tiles);
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t i = at; i < parts.head; i += lanes) value = Operator::fold(value, in[i]);
  for (std::size_t i = parts.tail + at; i < n; i += lanes) value = Operator::fold(value, in[i]);
#else
  T value = fold_share<Operator>(in, n);
#endif
  value = fold_block<Operator>(value, warps);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

}  // namespace onefold::ladder
