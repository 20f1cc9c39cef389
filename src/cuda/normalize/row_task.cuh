// SPDX-License-Identifier: Apache-2.0
#pragma once
// The row of a group of lanes: which one it is, how its elements are read, how results of the same
// shape are written.

#include "cuda/exact/plain_answer.cuh"
#include "cuda/normalize/row_launch.hpp"
#include "cuda/parts/rounded_pair.cuh"
#include "cuda/parts/warp.cuh"

namespace onefold::cuda {

template <class T, row_way Way>
class row_task {
 protected:
  using bits = typename detail::float_format<T>::bits;
  using real = std::conditional_t<sizeof(T) == 8, double, float>;
  // An index in a row: of held rows it is small.
  using index = std::conditional_t<Way == row_way::held, int, std::int64_t>;
  static constexpr int items = vector_items<T>, vectors = int(row_vectors);
  static constexpr bool by_vectors = Way != row_way::elements;
  struct alignas(16) rounded_vector {
    std::conditional_t<sizeof(T) == 2, std::uint32_t, bits> words[sizeof(T) == 8 ? 2 : 4];
  };

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

  ONEFOLD_DEVICE static real value(bits a) { return number_of<T>(a); }
  ONEFOLD_DEVICE real element(std::int64_t at) const { return value(detail::to_bits(x_[at])); }
  ONEFOLD_DEVICE static void values(const vector_of<T>& x, real (&to)[items]) {
    values(x, to, std::make_integer_sequence<int, items>());
  }

  ONEFOLD_DEVICE static bits rounded(real y) {
    if constexpr (sizeof(T) == 2)
      return rounded_bits<T>(y);
    else
      return y != y ? detail::float_format<T>::quiet_nan : detail::to_bits(y);
  }
  // May_Be_NaN: or the caller knows that none is.
  template <bool May_Be_NaN>
  ONEFOLD_DEVICE void write_vector(index at, const real (&y)[items]) const {
    rounded_vector made;
    if constexpr (sizeof(T) == 2) {
      round_pairs<May_Be_NaN>(y, made);
    } else {
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i)
        made.words[i] = May_Be_NaN ? rounded(y[i]) : detail::to_bits(y[i]);
    }
    write_once(reinterpret_cast<rounded_vector*>(y_ + at), made);
  }

  ONEFOLD_DEVICE void write_nans(index at) const {
    constexpr auto nan = detail::float_format<T>::quiet_nan;
    rounded_vector made;
    for (auto& word : made.words) word = sizeof(T) == 2 ? std::uint32_t(nan) * 0x10001 : nan;
    write_once(reinterpret_cast<rounded_vector*>(y_ + at), made);
  }

  unsigned lanes_, lane_;     // of a row
  std::int64_t row_, count_;  // count_: its elements, none past the last row
  const T* x_;
  bits* y_;

 private:
  template <int... I>
  ONEFOLD_DEVICE static void values(const vector_of<T>& x, real (&to)[items],
                                    std::integer_sequence<int, I...>) {
    ((to[I] = value(bits_in<T, I>(x))), ...);
  }
  template <bool May_Be_NaN>
  ONEFOLD_DEVICE static void round_pairs(const real (&y)[items], rounded_vector& made) {
    bool numbers = true;
    ONEFOLD_UNROLL
    for (int i = 0; i < items; i += 2) {
      numbers &= !May_Be_NaN || (y[i] == y[i] && y[i + 1] == y[i + 1]);
      made.words[i / 2] = rounded_pair<T>(y[i], y[i + 1]);
    }
    if (numbers) return;
    ONEFOLD_UNROLL
    for (int i = 0; i < items; i += 2)
      made.words[i / 2] = std::uint32_t(rounded(y[i + 1])) << 16 | rounded(y[i]);
  }
};

}  // namespace onefold::cuda
