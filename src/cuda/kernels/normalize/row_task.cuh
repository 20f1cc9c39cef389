// SPDX-License-Identifier: Apache-2.0
#pragma once
// The row of a group of lanes: which one it is, how its elements are read, how its lanes join sums,
// how results of the same shape are written.

#include "cuda/accumulators/interval.cuh"
#include "cuda/kernels/normalize/row_items.cuh"
#include "cuda/kernels/normalize/row_launch.hpp"
#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

template <class T, row_way Way>
class row_task : protected row_items<T> {
 protected:
  using typename row_items<T>::bits;
  using typename row_items<T>::real;
  // An index in a row: of held rows it is small.
  using index = std::conditional_t<Way == row_way::held, int, std::int64_t>;
  using row_items<T>::items;
  static constexpr int vectors = int(row_vectors);
  static constexpr bool by_vectors = Way != row_way::elements;
  template <class Rows>
  ONEFOLD_DEVICE row_task(const Rows& a, unsigned lanes) : lanes_(lanes), lane_(threadIdx.x) {
    row_ = std::int64_t(blockIdx.y) * gridDim.x + blockIdx.x;
    if (lanes <= warp_lanes) {
      const int log2_lanes = __ffs(int(lanes)) - 1;
      row_ = row_ * (blockDim.x >> log2_lanes) + (threadIdx.x >> log2_lanes);
      lane_ &= lanes - 1;
    }
    count_ = row_ < a.rows ? a.n : 0;
    x_ = static_cast<const T*>(a.x) + row_ * a.stride;
    y_ = static_cast<bits*>(a.y) + row_ * a.n;
  }

  // The first element of this lane's vector i, from element `at` of the row on.
  ONEFOLD_DEVICE index place(index at, int i) const {
    return at + index(lane_ + unsigned(i) * lanes_) * items;
  }
  // `past` past the end.
  ONEFOLD_DEVICE void load(index at, vector_of<T> (&v)[vectors], const vector_of<T>& past) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) {
      v[i] = past;
      if (place(at, i) < index(count_)) v[i] = load_items(x_ + place(at, i));
    }
  }

  // What `finish` makes of the row's sum, from that over the lanes of a warp, and whether it is
  // certain. shared: two words, and `sums` a sum of each warp of the block. Every lane of the block
  // calls it.
  template <class Finish>
  ONEFOLD_DEVICE double across_row(const pair_sum& sum, std::int64_t* shared, std::int64_t* sums,
                                   const Finish& finish, bool& certified) const {
    if (lanes_ <= warp_lanes) return finish(sum, certified);
    const unsigned warps = lanes_ / warp_lanes, warp = threadIdx.x / warp_lanes;
    if (lane_index() == 0) write_sum(sum, sums + warp, warps);
    __syncthreads();
    if (warp == 0) {
      pair_sum total;
      if (lane_index() < warps) total = read_sum<pair_sum>(sums + lane_index(), warps);
      join_group(total, warps);
      const double made = finish(total, certified);
      if (lane_index() == 0) {
        shared[0] = std::int64_t(detail::to_bits(made));
        shared[1] = std::int64_t(certified);
      }
    }
    __syncthreads();
    certified = shared[1] != 0;
    return detail::from_bits<double>(std::uint64_t(shared[0]));
  }
  // The value, which is written for the row too, unless `to` is null. NaNs become the canonical
  // one.
  template <class Rows>
  ONEFOLD_DEVICE double written(const Rows& a, double* to, double value) const {
    if (value != value) value = __longlong_as_double(0x7FF8000000000000);
    if (to != nullptr && lane_ == 0 && row_ < a.rows) to[row_] = value;
    return value;
  }

  ONEFOLD_DEVICE real element(std::int64_t at) const {
    return row_items<T>::value(detail::to_bits(x_[at]));
  }
  ONEFOLD_DEVICE void write_vector(index at, const real (&y)[items]) const {
    const auto made = row_items<T>::template packed<true>(y);
    write_once(reinterpret_cast<std::remove_const_t<decltype(made)>*>(y_ + at), made);
  }

  unsigned lanes_, lane_;     // of a row
  std::int64_t row_, count_;  // count_: its elements, none past the last row
  const T* x_;
  bits* y_;
};

}  // namespace onefold::cuda
