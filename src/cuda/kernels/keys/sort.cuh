// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a library's sort of keys needs before and after it: keys as words of the same order, and
// elements moved to their places.

#include "cuda/kernels/keys/heads.cuh"
#include "cuda/kernels/keys/sort.hpp"
#include "cuda/primitives/raw.cuh"

namespace onefold::cuda {

inline constexpr unsigned sort_threads = 256;

/// Shape:  n keys; ordinals[n] become theirs, which ascend as they do; places[n] become 0, 1, 2 …;
///         any grid.
/// Error:  none.
/// Order:  none.
static __global__ void write_ordinals(key_list list, std::uint64_t* ordinals,
                                      std::uint32_t* places) {
  with_raw(list.kind.bytes, [&]<class Raw>(Raw) {
    const typed_keys<Raw> keys(list);
    ONEFOLD_UNROLL_BY_4
    for (std::int64_t i = first_of_thread(); i < list.n; i += all_threads())
      ordinals[i] = keys.at(i), places[i] = std::uint32_t(i);
  });
}

/// Shape:  from and to: n elements of item_bytes, 1, 2, 4 or 8, aligned to them; places[n] < n; any
///         grid.
/// Error:  none: elements keep their bits.
/// Order:  none.
static __global__ void gather_elements(const void* from, int item_bytes,
                                       const std::uint32_t* places, std::int64_t n, void* to) {
  with_raw(item_bytes, [&]<class Raw>(Raw) {
    ONEFOLD_UNROLL_BY_4
    for (std::int64_t i = first_of_thread(); i < n; i += all_threads())
      static_cast<Raw*>(to)[i] = static_cast<const Raw*>(from)[places[i]];
  });
}

/// Shape:  at[n], places of sorted elements, become those of the elements before, from first_index
///         on; any grid.
/// Error:  none.
/// Order:  none.
static __global__ void own_places(std::int64_t* at, std::int64_t n, const std::uint32_t* places,
                                  std::int64_t first_index) {
  for (std::int64_t k = first_of_thread(); k < n; k += all_threads())
    at[k] = first_index + std::int64_t(places[at[k]]);
}

}  // namespace onefold::cuda
