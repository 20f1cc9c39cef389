// SPDX-License-Identifier: Apache-2.0
#pragma once
// An array as vectors of sixteen bytes, dealt out to blocks in tiles.
//
// Vectors are counted from the multiple of sixteen bytes at or before the first element, so that
// every load is aligned; what a vector holds before the first element or after the last is never
// read. Tile t is vectors t * blockDim.x * loads_in_flight and on: indices in a tile are smaller
// than those in any later one, and a lane meets its tiles in rising order.

#include "cuda/primitives/cuda_compat.cuh"

#include <cstdint>

#include "cuda/primitives/load.cuh"
#include "cuda/primitives/tile_ways.cuh"
#include "onefold/detail/float_format.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cuda::folds {

/// Independent loads that a lane issues before it uses the first.
inline constexpr unsigned loads_in_flight = 4;

/// The elements of one vector.
template <class T>
inline constexpr unsigned vector_items = unsigned(16 / sizeof(T));

/// The unsigned integers that hold the bits of an element.
template <class T>
using bits_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Element j of a vector. Precondition: j < vector_items<T>.
template <class T>
__device__ __forceinline__ bits_of<T> element_bits(const uint4& v, unsigned j) {
  const unsigned word[4] = {v.x, v.y, v.z, v.w};
  if constexpr (sizeof(T) == 8)
    return std::uint64_t(word[2 * j + 1]) << 32 | word[2 * j];
  else
    return bits_of<T>(word[j * sizeof(T) / 4] >> (8 * (j * sizeof(T) % 4)));
}

/// The same words with element j, which was 0, replaced.
template <class T>
__device__ __forceinline__ uint4 with_element(const uint4& v, unsigned j, bits_of<T> bits) {
  unsigned word[4] = {v.x, v.y, v.z, v.w};
  if constexpr (sizeof(T) == 8)
    word[2 * j] = unsigned(bits), word[2 * j + 1] = unsigned(bits >> 32);
  else
    word[j * sizeof(T) / 4] |= unsigned(bits) << (8 * (j * sizeof(T) % 4));
  return {word[0], word[1], word[2], word[3]};
}

/// A vector without its first element; what is after the last one then is some element.
template <class T>
__device__ __forceinline__ uint4 without_first(const uint4& v) {
  constexpr unsigned shift = 8 * sizeof(T);
  if constexpr (sizeof(T) == 8)
    return {v.z, v.w, v.z, v.w};
  else if constexpr (sizeof(T) == 4)
    return {v.y, v.z, v.w, v.w};
  else
    return {v.x >> shift | v.y << (32 - shift), v.y >> shift | v.z << (32 - shift),
            v.z >> shift | v.w << (32 - shift), v.w >> shift};
}

/// A vector and which of its elements are the array's.
struct partial_vector {
  uint4 data;
  unsigned valid;  ///< bit j: element j
};

template <class T>
inline constexpr unsigned all_valid = unsigned((std::uint64_t(1) << vector_items<T>)-1);

/// Shape:  x[n], n >= 0, aligned to T.
template <class T>
class vectors {
 public:
  __device__ vectors(const void* x, std::int64_t n)
      : before_(unsigned(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T))),
        base_(reinterpret_cast<const uint4*>(reinterpret_cast<std::uintptr_t>(x) -
                                             before_ * sizeof(T))),
        end_(n + before_) {}

  __device__ std::int64_t tiles() const {
    const std::int64_t items = tile_items();
    return (end_ + items - 1) / items;
  }
  /// All vectors of the tiles first_whole() … end_whole() - 1 lie in the array.
  __device__ std::int64_t first_whole() const { return before_ == 0 ? 0 : 1; }
  __device__ std::int64_t end_whole() const { return end_ / tile_items(); }
  __device__ bool is_whole(std::int64_t tile) const {
    return first_whole() <= tile && tile < end_whole();
  }
  /// The i-th vector of this lane in a tile.
  __device__ std::int64_t place(std::int64_t tile, unsigned i) const {
    return tile * (std::int64_t(blockDim.x) * loads_in_flight) + i * blockDim.x + threadIdx.x;
  }
  /// Precondition: all of the vector lies in the array.
  __device__ __forceinline__ uint4 load(std::int64_t at) const { return load_vector(base_ + at); }

  __device__ partial_vector load_partial(std::int64_t at) const {
    const std::int64_t first = at * vector_items<T>;
    if (first >= before_ && first + vector_items<T> <= end_) return {base_[at], all_valid<T>};
    partial_vector made{{0, 0, 0, 0}, 0};
    const auto* elements = reinterpret_cast<const bits_of<T>*>(base_);
    for (unsigned j = 0; j < vector_items<T>; ++j) {
      if (first + j < before_ || first + j >= end_) continue;
      made.data = with_element<T>(made.data, j, elements[first + j]);
      made.valid |= 1u << j;
    }
    return made;
  }
  /// The index in the array of element j of a vector.
  __device__ std::int64_t index(std::int64_t at, unsigned j) const {
    return at * vector_items<T> + j - before_;
  }

 private:
  __device__ std::int64_t tile_items() const {
    return std::int64_t(blockDim.x) * (loads_in_flight * vector_items<T>);
  }

  unsigned before_;  // elements between the base and x
  const uint4* base_;
  std::int64_t end_;  // of the array, in elements from the base
};

/// A tile that the array does not fill.
template <class T, class Fold>
__device__ void take_edge(const vectors<T>& array, std::int64_t tile, Fold& into) {
  for (unsigned i = 0; i < loads_in_flight; ++i) {
    const partial_vector some = array.load_partial(array.place(tile, i));
    if (some.valid == all_valid<T>) {
      const uint4 one[1] = {some.data};
      into.take(one, tile);
      continue;
    }
    for (unsigned j = 0; j < vector_items<T>; ++j)
      if ((some.valid >> j & 1) != 0) into.take_one(element_bits<T>(some.data, j), tile);
  }
}

/// Gives this lane's share of an array to a fold: take(vectors, tile) and take_one(bits, tile).
template <class T, class Fold>
__device__ __forceinline__ void sweep(const vectors<T>& array, Fold& into) {
  struct held {
    uint4 vector[loads_in_flight];
  };
  const std::int64_t end = array.end_whole(), step = gridDim.x;
  std::int64_t tile = blockIdx.x;
  if (tile < array.first_whole()) take_edge(array, tile, into), tile += step;
  if (tile < end)
    tile = take_turns<held>(
        tile, end, step,
        [&](std::int64_t at, held& to) {
          ONEFOLD_UNROLL
          for (unsigned i = 0; i < loads_in_flight; ++i)
            to.vector[i] = array.load(array.place(at, i));
          __syncwarp();  // or the compiler lets the loads wait for the tile before
        },
        [&](std::int64_t at, const held& held) {
          into.take(held.vector, at);
          return true;
        });
  if (tile < array.tiles()) take_edge(array, tile, into);
}

}  // namespace onefold::cuda::folds
