// SPDX-License-Identifier: Apache-2.0
#pragma once
// Minima, maxima and their first positions: the state of detail/extrema.hpp.
//
// A lane keeps places, and of their elements no index but the tile: a smaller place is a matter of
// a comparison for every few vectors. What lies in a lower tile has a lower index, so the least
// tile of the least place holds the first position, and the last block looks for it there. NaNs
// cost nothing until the ends of a lane's vectors show one; those vectors are then taken one by
// one.

#include "cuda/parts/cuda_compat.cuh"

#include <cstdint>

#include "cuda/full/first_places.cuh"
#include "cuda/full/one_launch.cuh"
#include "cuda/parts/ends.cuh"
#include "onefold/detail/extrema.hpp"

namespace onefold::cuda::folds {

inline constexpr std::int64_t no_tile = 0x7FFFFFFFFFFFFFFF;

template <class T>
class extrema_fold {
 public:
  using element = T;
  using state = detail::extrema;
  using place = place_type<T>;
  static constexpr int state_words = 8;
  /// least place and its tile; largest and its tile; the first tile with a NaN; how many NaNs
  static constexpr int partial_words = 6;

  template <unsigned Vectors>
  __device__ __forceinline__ void take(const uint4 (&v)[Vectors], std::int64_t tile) {
    ends<T> these;
    for (unsigned i = 0; i < Vectors; ++i) these.take(v[i]);
    const place low = these.lowest(), high = these.highest();
    if (is_nan_place<T>(low) || is_nan_place<T>(high)) return take_with_nans(v, tile);
    note(low, high, tile);
  }
  __device__ void take_one(bits_of<T> bits, std::int64_t tile) {
    const place at = place_of<T>(bits);
    if (!is_nan_place<T>(at)) return note(at, at, tile);
    if (nans_ == 0) nan_tile_ = tile;
    ++nans_;
  }

  __device__ void store(std::int64_t* to) const {
    to[0] = least_, to[1] = least_tile_;
    to[2] = largest_, to[3] = largest_tile_;
    to[4] = nan_tile_, to[5] = nans_;
  }
  __device__ static void clear(std::int64_t* to) { extrema_fold().store(to); }

  __device__ static void merge(std::int64_t* into, const std::int64_t* from) {
    merge_end(into[0], into[1], from[0], from[1], from[0] < into[0]);
    merge_end(into[2], into[3], from[2], from[3], from[2] > into[2]);
    into[4] = min(into[4], from[4]);
    into[5] += from[5];
  }

  /// What merges of all lanes' partials would make, in every lane: in fewer and shorter steps, each
  /// of which the end of the kernel waits for.
  __device__ __forceinline__ static void fold_warp(std::int64_t* words) {
    fold_end(words[0], words[1], 0);
    fold_end(words[2], words[3], -1);
    if (!any_lane(words[5] != 0)) return;
    words[4] = std::int64_t(warp_min(std::uint64_t(words[4])));
    words[5] = warp_sum(words[5]);
  }

  /// Writes the state. All lanes of the block come here, lane 0 with the partial of everything.
  __device__ static void finish(const vectors<T>& array, std::int64_t n,
                                const std::int64_t* partial, std::int64_t* shared,
                                std::int64_t* words) {
    __syncthreads();
    if (threadIdx.x == 0)
      for (int i = 0; i < partial_words; ++i) shared[i] = partial[i];
    __syncthreads();
    const place low = place(shared[0]), high = place(shared[2]);
    const std::int64_t nans = shared[5];
    const bool any = n > nans;
    using wanted = wanted_element<T>;
    const wanted firsts[3] = {wanted::of_place(low, shared[1], any),
                              wanted::of_place(high, shared[3], any),
                              wanted::of_nan(shared[4], nans > 0)};
    __syncthreads();
    std::int64_t index[3];
    find_firsts(array, firsts, index, reinterpret_cast<unsigned*>(shared));
    if (threadIdx.x != 0) return;
    words[0] = n, words[1] = nans, words[2] = index[2];
    words[3] = any ? key_of_place<T>(low) : 0, words[4] = index[0];
    words[5] = any ? key_of_place<T>(high) : 0, words[6] = index[1];
    words[7] = any && is_float<T> ? std::int64_t(low == 0) | std::int64_t(high == 0) << 1 : 0;
  }

 private:
  // Seldom run, and not unrolled: it would be most of the loop around it.
  template <unsigned Vectors>
  __device__ __forceinline__ void take_with_nans(const uint4 (&v)[Vectors], std::int64_t tile) {
    place low = largest_place<T>, high = ~largest_place<T>;
    unsigned nans = 0;
    for (unsigned i = 0; i < Vectors; ++i) {
      uint4 left = v[i];
      ONEFOLD_ROLLED
      for (unsigned j = 0; j < vector_items<T>; ++j) {
        const place at = place_of<T>(element_bits<T>(left, 0));
        const bool nan = is_nan_place<T>(at);
        nans += nan;
        low = min(low, nan ? largest_place<T> : at);
        high = max(high, nan ? ~largest_place<T> : at);
        left = without_first<T>(left);
      }
    }
    if (nans_ == 0) nan_tile_ = tile;
    nans_ += nans;
    if (low <= high) note(low, high, tile);
  }

  // Both zeros are one position: a zero that is less by its sign alone keeps the tile.
  __device__ static bool same_key(std::int64_t a, std::int64_t b) {
    return is_float<T> && ((a ^ a >> 63) | (b ^ b >> 63)) == 0;  // each of them -1 or 0
  }

  __device__ __forceinline__ void note(place low, place high, std::int64_t tile) {
    if (low < least_ || least_tile_ == no_tile) {
      if (least_tile_ == no_tile || !same_key(low, least_)) least_tile_ = tile;
      least_ = low;
    }
    if (high > largest_ || largest_tile_ == no_tile) {
      if (largest_tile_ == no_tile || !same_key(high, largest_)) largest_tile_ = tile;
      largest_ = high;
    }
  }

  __device__ static void merge_end(std::int64_t& place, std::int64_t& tile, std::int64_t other,
                                   std::int64_t other_tile, bool beyond) {
    if (place == other || same_key(place, other))
      tile = min(tile, other_tile);
    else if (beyond)
      tile = other_tile;
    if (beyond) place = other;
  }

  __device__ __forceinline__ static std::int64_t least_of_warp(std::int64_t at) {
    if constexpr (sizeof(place) == 4) {
      constexpr std::uint32_t flip = 0x7FFFFFFF;  // the least one has the largest unsigned number
      return std::int32_t(warp_max(std::uint32_t(at) ^ flip) ^ flip);
    } else {
      constexpr std::uint64_t flip = std::uint64_t(1) << 63;
      return std::int64_t(warp_min(std::uint64_t(at) ^ flip) ^ flip);
    }
  }
  /// Of the largest, `flip` is -1: it is the least of the complements.
  __device__ __forceinline__ static void fold_end(std::int64_t& at, std::int64_t& tile,
                                                  std::int64_t flip) {
    const std::int64_t end = least_of_warp(at ^ flip) ^ flip;
    const bool here = at == end || same_key(at, end);
    tile = std::int64_t(warp_min(std::uint64_t(here ? tile : no_tile)));
    at = end;
  }

  place least_ = largest_place<T>;
  place largest_ = ~largest_place<T>;
  std::int64_t least_tile_ = no_tile, largest_tile_ = no_tile, nan_tile_ = no_tile, nans_ = 0;
};

}  // namespace onefold::cuda::folds
