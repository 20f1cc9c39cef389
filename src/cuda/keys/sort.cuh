// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a sort of keys by a library needs before and behind it: keys as words in their order, and
// elements brought to their places.

#include "cuda/keys/sort.hpp"
#include "cuda/parts/words.cuh"

namespace onefold::cuda {

inline constexpr unsigned sort_threads = 256;

ONEFOLD_DEVICE std::int64_t first_of_thread() {
  return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
ONEFOLD_DEVICE std::int64_t all_threads() {
  return std::int64_t(gridDim.x) * blockDim.x;
}

template <class T>
ONEFOLD_DEVICE void write_ordinals_as(const key_list& of, std::uint64_t* ordinals,
                                      std::uint32_t* places) {
  const bool truths = of.kind.type == dtype::boolean;
  const T sign = of.kind.is_signed ? T(T(1) << (8 * sizeof(T) - 1)) : T(0);
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t i = first_of_thread(); i < of.n; i += all_threads()) {
    const T raw = static_cast<const T*>(of.keys)[i];
    ordinals[i] = truths ? T(raw != 0) : T(raw ^ sign);
    places[i] = std::uint32_t(i);
  }
}

/// Shape:  n keys; ordinals[n] become theirs, which ascend as they do; places[n] become 0, 1, 2 …;
///         any grid.
/// Error:  none.
/// Order:  none.
static __global__ void write_ordinals(key_list of, std::uint64_t* ordinals, std::uint32_t* places) {
  switch (of.kind.bytes) {
  case 1:
    return write_ordinals_as<std::uint8_t>(of, ordinals, places);
  case 2:
    return write_ordinals_as<std::uint16_t>(of, ordinals, places);
  case 4:
    return write_ordinals_as<std::uint32_t>(of, ordinals, places);
  default:
    write_ordinals_as<std::uint64_t>(of, ordinals, places);
  }
}

template <class T>
ONEFOLD_DEVICE void gather(const void* from, const std::uint32_t* places, std::int64_t n,
                           void* to) {
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t i = first_of_thread(); i < n; i += all_threads())
    static_cast<T*>(to)[i] = static_cast<const T*>(from)[places[i]];
}

/// Shape:  from and to: n elements of item_bytes, 1, 2, 4 or 8, aligned to them; places[n] < n; any
///         grid.
/// Error:  none: elements keep their bits.
/// Order:  none.
static __global__ void gather_elements(const void* from, int item_bytes,
                                       const std::uint32_t* places, std::int64_t n, void* to) {
  switch (item_bytes) {
  case 1:
    return gather<std::uint8_t>(from, places, n, to);
  case 2:
    return gather<std::uint16_t>(from, places, n, to);
  case 4:
    return gather<std::uint32_t>(from, places, n, to);
  default:
    gather<std::uint64_t>(from, places, n, to);
  }
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
