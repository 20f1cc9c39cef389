// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where in their tiles the first least, the first largest and the first NaN are, by one block.
//
// This runs once, at the end, when no other block works, and no instruction of it is in a cache: it
// has to be short. So both tiles are asked for at once, and looked at by words, not by elements.

#include "cuda/accumulators/bool_bytes.cuh"
#include "cuda/primitives/element_kind.hpp"
#include "cuda/primitives/vectors.cuh"
#include "cuda/primitives/warp.cuh"

namespace onefold::cuda::folds {

/// The elements of a tile that are looked for: those whose bits are these, but for masked ones, or
/// NaNs.
template <class Raw>
struct wanted_element {
  std::int64_t tile;
  bool there;  ///< whether there is one
  bool nan = false, bool_bytes;
  Raw infinity, mask, bits;

  /// Elements of some bits; zeros of either sign are one.
  ONEFOLD_DEVICE wanted_element(const element_kind& kind, std::int64_t at, bool any, Raw element,
                                bool zero)
      : tile(at), there(any), bool_bytes(kind.type == dtype::boolean), infinity(Raw(kind.infinity)),
        mask(Raw(Raw(~Raw(0)) >> int(zero))), bits(Raw(element & mask)) {}
  ONEFOLD_DEVICE static wanted_element of_nan(const element_kind& kind, std::int64_t tile,
                                              bool there) {
    wanted_element made(kind, tile, there, 0, true);
    made.nan = true;
    return made;
  }

  ONEFOLD_DEVICE bool is(Raw element) const {
    if (nan) return Raw(element & mask) > infinity;
    if (bool_bytes) element = element != 0;
    return Raw(element & mask) == bits;
  }
  /// Which element of a vector is the first that is it; vector_items<Raw> if none is. Not of NaNs.
  ONEFOLD_DEVICE unsigned first_in(const uint4& v) const {
    if constexpr (sizeof(Raw) == 8) {
      return is(element_bits<Raw>(v, 0)) ? 0 : is(element_bits<Raw>(v, 1)) ? 1 : vector_items<Raw>;
    } else {
      const unsigned x = flags_in(v.x), y = flags_in(v.y), z = flags_in(v.z), w = flags_in(v.w);
      const unsigned word = x != 0 ? 0 : y != 0 ? 1 : z != 0 ? 2 : 3;
      const unsigned flags = x != 0 ? x : y != 0 ? y : z != 0 ? z : w;
      const unsigned element = (unsigned(__ffs(int(flags))) - 1) / (8 * unsigned(sizeof(Raw)));
      return flags != 0 ? word * (4 / unsigned(sizeof(Raw))) + element : vector_items<Raw>;
    }
  }

 private:
  // The top bit of each element of a word that is it, which the xor makes 0.
  ONEFOLD_DEVICE unsigned flags_in(unsigned word) const {
    constexpr unsigned each = sizeof(Raw) == 1 ? 0x01010101 : sizeof(Raw) == 2 ? 0x00010001 : 1;
    constexpr unsigned low = ~(each << (8 * sizeof(Raw) - 1));
    if (sizeof(Raw) == 1 && bool_bytes) word = bool_bytes_of(word);
    const unsigned other = (word & mask * each) ^ bits * each;
    return ~(((other & low) + low) | other | low);
  }
};

/// The offset of a lane's first match from the first element of a tile; ~0: none.
template <class Raw>
ONEFOLD_DEVICE unsigned first_of_lane(const wanted_element<Raw>& wanted,
                                      const uint4 (&v)[loads_in_flight]) {
  unsigned first = ~0u;
  ONEFOLD_UNROLL
  for (unsigned i = loads_in_flight; i-- > 0;) {
    const unsigned j = wanted.first_in(v[i]);
    if (j < vector_items<Raw>) first = (i * blockDim.x + threadIdx.x) * vector_items<Raw> + j;
  }
  return first;
}

/// The same of NaNs, and of a tile that the array does not fill.
template <class Raw>
ONEFOLD_DEVICE unsigned first_by_elements(const vectors<Raw>& array,
                                          const wanted_element<Raw>& wanted) {
  ONEFOLD_ROLLED
  for (unsigned i = 0; i < loads_in_flight; ++i) {
    partial_vector some = array.load_partial(array.place(wanted.tile, i));
    if (!wanted.nan && wanted.first_in(some.data) == vector_items<Raw>) continue;
    ONEFOLD_ROLLED
    for (unsigned j = 0; j < vector_items<Raw>; ++j) {
      if ((some.valid >> j & 1) != 0 && wanted.is(element_bits<Raw>(some.data, 0)))
        return (i * blockDim.x + threadIdx.x) * vector_items<Raw> + j;
      some.data = without_first<Raw>(some.data);
    }
  }
  return ~0u;
}

/// The indices of the first least, the first largest and the first NaN, in lane 0 of the block; -1
/// for what is not there. Every lane of the block calls it; shared: three words for each warp.
template <class Raw>
ONEFOLD_DEVICE void find_firsts(const vectors<Raw>& array, const wanted_element<Raw> (&wanted)[3],
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
    const wanted_element<Raw> each = k == 0 ? wanted[0] : k == 1 ? wanted[1] : wanted[2];
    unsigned place = k == 0 ? first[0] : first[1];
    if (k == 2 || !whole) place = each.there ? first_by_elements(array, each) : ~0u;
    const unsigned least = ~warp_max(~place);
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
