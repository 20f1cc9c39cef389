// SPDX-License-Identifier: Apache-2.0
#pragma once
// An array as tiles of whole vectors, and the rest.

#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

/// Elements of an array by the count r: x[r] below `split`, x[r + gap] from there on.
struct element_range {
  std::int64_t split, gap, count;

  ONEFOLD_DEVICE std::int64_t at(std::int64_t r) const { return r < split ? r : r + gap; }
};

/// How the loop finds the second factors: there are none, or their vectors are aligned where the
/// first ones' are, or they are loaded one by one.
enum class second { none, aligned, apart };

/// Terms::items elements of each lane of a warp are a tile; tiles begin at a multiple of 16 bytes.
template <class Terms, class T>
struct array_parts {
  static constexpr std::int64_t tile_items = std::int64_t(Terms::items) * warp_lanes;
  std::int64_t head, tiles;
  element_range rest;

  ONEFOLD_DEVICE array_parts(const T* x, std::int64_t n) {
    const auto past = std::int64_t(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T));
    head = past == 0 ? 0 : vector_items<T> - past;
    if (head > n) head = n;
    tiles = (n - head) / tile_items;
    rest = {head, tiles * tile_items, n - tiles * tile_items};
  }
  ONEFOLD_DEVICE std::int64_t first_of(std::int64_t tile) const { return head + tile * tile_items; }
  ONEFOLD_DEVICE static element_range range(std::int64_t first) { return {0, first, tile_items}; }
};

/// A lane's vectors of the tile that begins at x[first] and y[first].
template <second Second, class T, int Vectors>
ONEFOLD_DEVICE void load_tile(const T* x, const T* y, std::int64_t first,
                              vector_of<T> (&a)[Vectors], vector_of<T> (&b)[Vectors]) {
  const std::int64_t begin = first + (threadIdx.x % warp_lanes) * vector_items<T>;
  constexpr int step = int(warp_lanes) * vector_items<T>;
  ONEFOLD_UNROLL
  for (int v = 0; v < Vectors; ++v) a[v] = load_items(x + begin + v * step);
  ONEFOLD_UNROLL
  for (int v = 0; v < Vectors; ++v) {
    if constexpr (Second == second::none) b[v] = a[v];
    if constexpr (Second == second::aligned) b[v] = load_items(y + begin + v * step);
    if constexpr (Second == second::apart) b[v] = load_elements(y + begin + v * step);
  }
}

}  // namespace onefold::cuda
