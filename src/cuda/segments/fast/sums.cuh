// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of neighbours, up to a chunk of them, in the order of docs/numerics/fast.md: by a lane,
// by eight lanes, by a warp.
//
// Element i goes to virtual lane i mod 64. Those without an element are -0 and add nothing, so that
// a level of the fold of which every upper half is such is left out.

#include "cuda/parts/lanes.cuh"
#include "plan/tuning.hpp"

namespace onefold::cuda {

template <class T>
class fast_neighbours {
 public:
  using number = fast_number<T>;
  /// Elements that a lane, and that a group of lanes, sum up at most.
  static constexpr int lane_items = 16, group_items = 256;
  static constexpr int group_lanes = 8;

  /// what: total, magnitudes, squares.
  ONEFOLD_DEVICE fast_neighbours(const void* x, family what)
      : x_(static_cast<const T*>(x)), what_(what) {}

  /// By this lane: n <= Most elements from `first` on.
  template <int Most>
  ONEFOLD_DEVICE number sum_of_few(std::int64_t first, int n) const {
    static_assert(Most <= lane_items);
    number sums[Most];
    ONEFOLD_UNROLL
    for (int i = 0; i < Most; ++i) sums[i] = i < n ? term(first + i) : nothing();
    return folded(sums);
  }

  /// By group_lanes neighbours, in each of them: n <= group_items elements, of which no group of
  /// the warp has more than `most`. Every lane of the warp calls it.
  ONEFOLD_DEVICE number sum_of_group(std::int64_t first, int n, int most) const {
    constexpr int slots = int(virtual_lanes) / group_lanes;
    const int place = int(lane_index()) % group_lanes;
    number sums[slots];
    ONEFOLD_UNROLL
    for (number& sum : sums) sum = nothing();
    ONEFOLD_ROLLED
    for (int row = place; row - place < most; row += int(virtual_lanes)) {
      number terms[slots];
      ONEFOLD_UNROLL
      for (int i = 0; i < slots; ++i) {
        const int at = row + i * group_lanes;
        terms[i] = at < n ? term(first + at) : nothing();
      }
      ONEFOLD_UNROLL
      for (int i = 0; i < slots; ++i) sums[i] += terms[i];
    }
    number sum = folded(sums);
    ONEFOLD_UNROLL
    for (int mask = group_lanes / 2; mask > 0; mask /= 2)
      sum += __shfl_xor_sync(whole_warp, sum, mask);
    return sum;
  }

  /// By the warp, in every lane: n <= chunk_items elements.
  ONEFOLD_DEVICE number sum_of_chunk(std::int64_t first, int n) const {
    constexpr int lanes = int(warp_lanes), batch = loads * lanes;
    number sums[2] = {nothing(), nothing()};
    std::int64_t at = first + lane_index();
    int left = n - int(lane_index());
    ONEFOLD_ROLLED
    for (int whole = n / batch; whole > 0; --whole, at += batch, left -= batch)
      add_batch<true>(sums, at, left);
    add_batch<false>(sums, at, left);
    return fold_rows(sums);
  }

 private:
  static constexpr int loads = 16;  // of a lane on their way

  ONEFOLD_DEVICE static number nothing() { return number(-0.0); }
  ONEFOLD_DEVICE number term(std::int64_t i) const {
    const number x = number_of<T>(bits_at(x_ + i));
    return term_of(what_, x, x);
  }
  template <int Count>
  ONEFOLD_DEVICE static number folded(number (&sums)[Count]) {
    ONEFOLD_UNROLL
    for (int half = Count / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
  }
  template <bool All>
  ONEFOLD_DEVICE void add_batch(number (&sums)[2], std::int64_t at, int left) const {
    number terms[loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i)
      terms[i] = All || i * int(warp_lanes) < left ? term(at + i * int(warp_lanes)) : nothing();
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) sums[i % 2] += terms[i];
  }

  const T* x_;
  family what_;
};

}  // namespace onefold::cuda
