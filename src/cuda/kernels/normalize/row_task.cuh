// SPDX-License-Identifier: Apache-2.0
#pragma once
// The row of a group of lanes: which one it is, how its elements are read, how results of the same
// shape are written.

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
