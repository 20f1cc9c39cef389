// SPDX-License-Identifier: Apache-2.0
#pragma once
// Minima, maxima and their first positions: the state of detail/extrema.hpp.
//
// A lane keeps places, and of their elements no index but the tile: a smaller place is a matter of
// a comparison for every few vectors. What lies in a lower tile has a lower index, so the least
// tile of the least place holds the first position, and the last block looks for it there. NaNs
// cost nothing until the ends of a lane's vectors show one; those vectors are then taken one by
// one.

#include "cuda/kernels/whole/first_places.cuh"
#include "cuda/kernels/whole/one_launch.cuh"
#include "cuda/primitives/element_lanes.cuh"
#include "onefold/detail/extrema.hpp"

namespace onefold::cuda::folds {

inline constexpr std::int64_t no_tile = 0x7FFFFFFFFFFFFFFF;

template <class Raw>
class extrema_fold {
 public:
  using element = Raw;
  using state = detail::extrema;
  using order = element_order<Raw, false>;
  using place = typename order::key;
  static constexpr int state_words = 8;
  /// least place and its tile; largest and its tile; the first tile with a NaN; how many NaNs
  static constexpr int partial_words = 6;

  ONEFOLD_DEVICE explicit extrema_fold(const element_kind& kind)
      : kind_(kind), order_(kind), most_(kind.type == dtype::boolean ? 1 : none),
        infinity_(kind.floating ? place(kind.infinity) : none) {}

  template <unsigned Vectors>
  ONEFOLD_DEVICE void take(const uint4 (&v)[Vectors], std::int64_t tile) {
    auto least = order::greatest, largest = order::least;
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < Vectors; ++i)
      order_.for_each_word(unit_of<Raw>(v[i]), [&](auto own) {
        least = order::lesser(least, own), largest = order::greater(largest, own);
      });
    // Of booleans any byte but 0 is 1, and so are the ends of such bytes.
    const place low = min(order::lower(least), most_), high = min(order::higher(largest), most_);
    if (is_nan(low) || is_nan(high)) return take_with_nans(v, tile);
    note(low, high, tile);
  }
  ONEFOLD_DEVICE void take_one(Raw bits, std::int64_t tile) {
    const place at = place_of(bits);
    if (!is_nan(at)) return note(at, at, tile);
    if (nans_ == 0) nan_tile_ = tile;
    ++nans_;
  }

  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    to[0] = least_, to[1] = least_tile_;
    to[2] = largest_, to[3] = largest_tile_;
    to[4] = nan_tile_, to[5] = nans_;
  }
  ONEFOLD_DEVICE static void clear(std::int64_t* to) {
    to[0] = none, to[2] = ~none, to[1] = to[3] = to[4] = no_tile, to[5] = 0;
  }

  ONEFOLD_DEVICE void merge(std::int64_t* into, const std::int64_t* from) const {
    merge_end(into[0], into[1], from[0], from[1], from[0] < into[0]);
    merge_end(into[2], into[3], from[2], from[3], from[2] > into[2]);
    into[4] = min(into[4], from[4]);
    into[5] += from[5];
  }

  /// What merges of all lanes' partials would make, in every lane: in fewer and shorter steps, each
  /// of which the end of the kernel waits for.
  ONEFOLD_DEVICE void fold_warp(std::int64_t* words) const {
    fold_end(words[0], words[1], 0);
    fold_end(words[2], words[3], -1);
    if (!any_lane(words[5] != 0)) return;
    words[4] = std::int64_t(warp_min(std::uint64_t(words[4])));
    words[5] = warp_sum(words[5]);
  }

  /// Writes the state. All lanes of the block come here, lane 0 with the partial of everything.
  ONEFOLD_DEVICE void finish(const vectors<Raw>& array, std::int64_t n, const std::int64_t* partial,
                             std::int64_t* shared, std::int64_t* words) const {
    __syncthreads();
    if (threadIdx.x == 0)
      for (int i = 0; i < partial_words; ++i) shared[i] = partial[i];
    __syncthreads();
    const place low = place(shared[0]), high = place(shared[2]);
    const std::int64_t nans = shared[5];
    const bool any = n > nans;
    using wanted = wanted_element<Raw>;
    const wanted firsts[3] = {{kind_, shared[1], any, bits_of(low), is_zero(low)},
                              {kind_, shared[3], any, bits_of(high), is_zero(high)},
                              wanted::of_nan(kind_, shared[4], nans > 0)};
    __syncthreads();
    std::int64_t index[3];
    find_firsts(array, firsts, index, reinterpret_cast<unsigned*>(shared));
    if (threadIdx.x != 0) return;
    words[0] = n, words[1] = nans, words[2] = index[2];
    words[3] = any ? key_of(low) : 0, words[4] = index[0];
    words[5] = any ? key_of(high) : 0, words[6] = index[1];
    words[7] = any && kind_.floating ? std::int64_t(low == 0) | std::int64_t(high == 0) << 1 : 0;
  }

  /// Writes the answer of is_plain_selection, which needs no place; false where there are NaNs or
  /// no elements. One thread.
  ONEFOLD_DEVICE bool write_plain(const std::int64_t* partial, std::int64_t n,
                                  const finish_list& list) const {
    if (n == 0 || partial[5] != 0) return false;
    const finish_item& item = list.answers[0];
    *static_cast<Raw*>(item.to) = bits_of(place(partial[item.op == op::min ? 0 : 2]));
    report(status_code::ok, list);
    return true;
  }

 private:
  static constexpr place none = std::numeric_limits<place>::max();

  ONEFOLD_DEVICE place place_of(Raw bits) const { return min(order_.key_of(bits), most_); }
  ONEFOLD_DEVICE bool is_nan(place at) const { return at > infinity_ || at < ~infinity_; }
  /// Both zeros have the key 0, and so they are one position.
  ONEFOLD_DEVICE bool is_zero(place at) const { return kind_.floating && (at == 0 || at == -1); }
  /// The place of an element of key 0; u64 is its own, because its keys have their top bit flipped.
  ONEFOLD_DEVICE std::int64_t key_of(place at) const {
    if (kind_.floating) return std::int64_t(at) + (at < 0);
    return sizeof(Raw) == 8 ? std::int64_t(at) : std::int64_t(at) - order_.zero();
  }
  ONEFOLD_DEVICE Raw bits_of(place at) const {
    if (!kind_.floating) return Raw(Raw(at) - Raw(order_.zero()));
    constexpr auto magnitude = place(Raw(~Raw(0)) >> 1);
    return Raw(at ^ (at >> (8 * sizeof(place) - 1) & magnitude));
  }

  // Seldom run, and not unrolled: it would be most of the loop around it.
  template <unsigned Vectors>
  ONEFOLD_DEVICE void take_with_nans(const uint4 (&v)[Vectors], std::int64_t tile) {
    place low = none, high = ~none;
    unsigned nans = 0;
    for (unsigned i = 0; i < Vectors; ++i) {
      uint4 left = v[i];
      ONEFOLD_ROLLED
      for (unsigned j = 0; j < vector_items<Raw>; ++j) {
        const place at = place_of(element_bits<Raw>(left, 0));
        const bool nan = is_nan(at);
        nans += nan;
        low = min(low, nan ? none : at);
        high = max(high, nan ? ~none : at);
        left = without_first<Raw>(left);
      }
    }
    if (nans_ == 0) nan_tile_ = tile;
    nans_ += nans;
    if (low <= high) note(low, high, tile);
  }

  // Both zeros are one position: a zero that is less by its sign alone keeps the tile.
  ONEFOLD_DEVICE bool same_key(std::int64_t a, std::int64_t b) const {
    return kind_.floating && ((a ^ a >> 63) | (b ^ b >> 63)) == 0;  // each of them -1 or 0
  }

  ONEFOLD_DEVICE void note(place low, place high, std::int64_t tile) {
    if (low < least_ || least_tile_ == no_tile) {
      if (least_tile_ == no_tile || !same_key(low, least_)) least_tile_ = tile;
      least_ = low;
    }
    if (high > largest_ || largest_tile_ == no_tile) {
      if (largest_tile_ == no_tile || !same_key(high, largest_)) largest_tile_ = tile;
      largest_ = high;
    }
  }

  ONEFOLD_DEVICE void merge_end(std::int64_t& at, std::int64_t& tile, std::int64_t other,
                                std::int64_t other_tile, bool beyond) const {
    if (at == other || same_key(at, other))
      tile = min(tile, other_tile);
    else if (beyond)
      tile = other_tile;
    if (beyond) at = other;
  }

  ONEFOLD_DEVICE static std::int64_t least_of_warp(std::int64_t at) {
    if constexpr (sizeof(place) == 4) {
      constexpr std::uint32_t flip = 0x7FFFFFFF;  // the least one has the largest unsigned number
      return std::int32_t(warp_max(std::uint32_t(at) ^ flip) ^ flip);
    } else {
      constexpr std::uint64_t flip = std::uint64_t(1) << 63;
      return std::int64_t(warp_min(std::uint64_t(at) ^ flip) ^ flip);
    }
  }
  /// Of the largest, `flip` is -1: it is the least of the complements.
  ONEFOLD_DEVICE void fold_end(std::int64_t& at, std::int64_t& tile, std::int64_t flip) const {
    const std::int64_t end = least_of_warp(at ^ flip) ^ flip;
    const bool here = at == end || same_key(at, end);
    tile = std::int64_t(warp_min(std::uint64_t(here ? tile : no_tile)));
    at = end;
  }

  element_kind kind_;
  order order_;
  place most_, infinity_;
  place least_ = none, largest_ = ~none;
  std::int64_t least_tile_ = no_tile, largest_tile_ = no_tile, nan_tile_ = no_tile, nans_ = 0;
};

}  // namespace onefold::cuda::folds
