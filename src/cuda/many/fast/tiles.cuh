// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of rows that are not whole vectors, by tiles, in the order of docs/numerics/fast.md.

#include "cuda/many/fast/terms.cuh"
#include "cuda/many/rows/tiled.cuh"

namespace onefold::cuda {

/// Virtual lanes place, place + Lanes, … of a row, of which tiles but the last are whole rounds.
template <accumulator Accumulator, class T, int Lanes>
class fast_tile {
 public:
  using sum = fast_sum<T>;
  static constexpr bool takes_rows = true, takes_tiles = Lanes == int(warp_lanes);

  ONEFOLD_DEVICE fast_tile() : place_(int(lane_index()) & (Lanes - 1)) { clear(); }

  ONEFOLD_DEVICE void clear() {
    ONEFOLD_UNROLL
    for (T& each : sums_) each = T(-0.0);
  }
  ONEFOLD_DEVICE void add(const T* row, int count) {
    const T* at = row + place_;
    int left = count - place_;
    ONEFOLD_ROLLED
    for (; count > some * Lanes; count -= some * Lanes, left -= some * Lanes, at += some * Lanes)
      add_some(at, [](int) { return true; });
    add_some(at, [&](int i) { return i * Lanes < left; });
  }
  /// The fold of all lanes of the group, in the first slot. Every lane of the warp calls it.
  ONEFOLD_DEVICE sum joined() const {
    T sums[mine];
    ONEFOLD_UNROLL
    for (int j = 0; j < mine; ++j) sums[j] = sums_[j];
    ONEFOLD_UNROLL
    for (int half = mine / 2; half > 0; half /= 2)
      for (int j = 0; j < half; ++j) sums[j] += sums[j + half];
    ONEFOLD_UNROLL
    for (int mask = Lanes / 2; mask > 0; mask /= 2)
      sums[0] += __shfl_xor_sync(whole_warp, sums[0], mask);
    return only_slot(sums[0]);
  }
  /// Rows are of one part.
  ONEFOLD_DEVICE static void write_part(const sum&, const many_arguments&, std::int64_t) {}

 private:
  static constexpr int mine = int(virtual_lanes) / Lanes;
  static constexpr int some = 8;  // loads on their way

  ONEFOLD_DEVICE static T term(T x) {
    return Accumulator == accumulator::squares      ? x * x
           : Accumulator == accumulator::magnitudes ? T(fabs(x))
                                                    : x;
  }

  // Of those that there are.
  template <class F>
  ONEFOLD_DEVICE void add_some(const T* at, F&& is_there) {
    T x[some];
    ONEFOLD_UNROLL
    for (int i = 0; i < some; ++i) x[i] = is_there(i) ? term(at[i * Lanes]) : T(-0.0);
    ONEFOLD_UNROLL
    for (int i = 0; i < some; ++i) sums_[i % mine] += x[i];
  }

  int place_;
  T sums_[mine];
};

}  // namespace onefold::cuda
