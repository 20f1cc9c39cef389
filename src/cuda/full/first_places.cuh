// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where in their tiles the first least, the first largest and the first NaN are, by one block.
//
// This runs once, at the end, when no other block works, and no instruction of it is in a cache: it
// has to be short. So both tiles are asked for at once, and looked at by words, not by elements.

#include "cuda/parts/cuda_compat.cuh"

#include <cstdint>

#include "cuda/exact/bool_bytes.cuh"
#include "cuda/parts/ends.cuh"
#include "cuda/parts/warp.cuh"

namespace onefold::cuda::folds {

/// The elements of a tile that are looked for: those whose bits are these, but for masked ones, or
/// NaNs.
template <class T>
struct wanted_element {
  std::int64_t tile = 0;
  bool there = false;  ///< whether there is one
  bool nan = false;
  bits_of<T> bits = 0, mask = bits_of<T>(~bits_of<T>(0));

  /// Elements of a place; zeros of either sign are one.
  __device__ static wanted_element of_place(place_type<T> at, std::int64_t tile, bool there) {
    wanted_element made{tile, there};
    if constexpr (is_float<T>)
      if (key_of_place<T>(at) == 0) made.mask = bits_of<T>(~detail::float_format<T>::sign_bit);
    made.bits = bits_of<T>(bits_of_place<T>(at) & made.mask);
    return made;
  }
  __device__ static wanted_element of_nan(std::int64_t tile, bool there) {
    return {tile, there, true};
  }

  __device__ bool is(bits_of<T> element) const {
    if (nan) return is_nan_place<T>(place_of<T>(element));
    if constexpr (std::is_same_v<T, bool>) element = element != 0;
    return bits_of<T>(element & mask) == bits;
  }
  /// Which element of a vector is the first that is it; vector_items<T> if none is. Not of NaNs.
  __device__ __forceinline__ unsigned first_in(const uint4& v) const {
    if constexpr (sizeof(T) == 8) {
      return is(element_bits<T>(v, 0)) ? 0 : is(element_bits<T>(v, 1)) ? 1 : vector_items<T>;
    } else {
      const unsigned x = flags_in(v.x), y = flags_in(v.y), z = flags_in(v.z), w = flags_in(v.w);
      const unsigned word = x != 0 ? 0 : y != 0 ? 1 : z != 0 ? 2 : 3;
      const unsigned flags = x != 0 ? x : y != 0 ? y : z != 0 ? z : w;
      const unsigned element = (unsigned(__ffs(int(flags))) - 1) / (8 * unsigned(sizeof(T)));
      return flags != 0 ? word * (4 / unsigned(sizeof(T))) + element : vector_items<T>;
    }
  }

 private:
  // The top bit of each element of a word that is it, which the xor makes 0.
  __device__ __forceinline__ unsigned flags_in(unsigned word) const {
    constexpr unsigned each = sizeof(T) == 1 ? 0x01010101 : sizeof(T) == 2 ? 0x00010001 : 1;
    constexpr unsigned low = ~(each << (8 * sizeof(T) - 1));
    if constexpr (std::is_same_v<T, bool>) word = bool_bytes_of(word);
    const unsigned other = (word & mask * each) ^ bits * each;
    return ~(((other & low) + low) | other | low);
  }
};

/// The offset of a lane's first match from the first element of a tile; ~0: none.
template <class T>
__device__ __forceinline__ unsigned first_of_lane(const wanted_element<T>& wanted,
                                                  const uint4 (&v)[loads_in_flight]) {
  unsigned first = ~0u;
  ONEFOLD_UNROLL
  for (unsigned i = loads_in_flight; i-- > 0;) {
    const unsigned j = wanted.first_in(v[i]);
    if (j < vector_items<T>) first = (i * blockDim.x + threadIdx.x) * vector_items<T> + j;
  }
  return first;
}

/// The same of NaNs, and of a tile that the array does not fill.
template <class T>
__device__ unsigned first_by_elements(const vectors<T>& array, const wanted_element<T>& wanted) {
  ONEFOLD_ROLLED
  for (unsigned i = 0; i < loads_in_flight; ++i) {
    partial_vector some = array.load_partial(array.place(wanted.tile, i));
    if (!wanted.nan && wanted.first_in(some.data) == vector_items<T>) continue;
    ONEFOLD_ROLLED
    for (unsigned j = 0; j < vector_items<T>; ++j) {
      if ((some.valid >> j & 1) != 0 && wanted.is(element_bits<T>(some.data, 0)))
        return (i * blockDim.x + threadIdx.x) * vector_items<T> + j;
      some.data = without_first<T>(some.data);
    }
  }
  return ~0u;
}

/// The indices of the first least, the first largest and the first NaN, in lane 0 of the block; -1
/// for what is not there. Every lane of the block calls it; shared: three words for each warp.
template <class T>
__device__ void find_firsts(const vectors<T>& array, const wanted_element<T> (&wanted)[3],
                            std::int64_t (&index)[3], unsigned* shared) {
  unsigned first[3] = {~0u, ~0u, ~0u};
  const bool whole =
      wanted[0].there && array.is_whole(wanted[0].tile) && array.is_whole(wanted[1].tile);
  if (whole) {
    uint4 low[loads_in_flight], high[loads_in_flight];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < loads_in_flight; ++i) {
      low[i] = array.load(array.place(wanted[0].tile, i));
      high[i] = array.load(array.place(wanted[1].tile, i));
    }
    first[0] = first_of_lane(wanted[0], low), first[1] = first_of_lane(wanted[1], high);
  }
  ONEFOLD_ROLLED
  for (unsigned k = 0; k < 3; ++k) {
    const wanted_element<T> each = k == 0 ? wanted[0] : k == 1 ? wanted[1] : wanted[2];
    unsigned mine = k == 0 ? first[0] : first[1];
    if (k == 2 || !whole) mine = each.there ? first_by_elements(array, each) : ~0u;
    const unsigned least = ~warp_max(~mine);
    if (threadIdx.x % warp_lanes == 0) shared[threadIdx.x / warp_lanes * 3 + k] = least;
  }
  __syncthreads();
  if (threadIdx.x >= warp_lanes) return;
  for (unsigned k = 0; k < 3; ++k) {
    const bool is_warp = threadIdx.x < blockDim.x / warp_lanes;
    const unsigned least = ~warp_max(is_warp ? ~shared[threadIdx.x * 3 + k] : 0);
    index[k] = wanted[k].there ? array.index(array.place(wanted[k].tile, 0), least) : -1;
  }
}

}  // namespace onefold::cuda::folds
