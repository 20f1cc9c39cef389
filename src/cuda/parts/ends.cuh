// SPDX-License-Identifier: Apache-2.0
#pragma once
// The least and the largest of a few vectors of floats, as places in the order of the elements.
//
// The place of an element is a signed integer: the bits, all but the sign flipped for negative
// ones. That is IEEE's total order: -0 is just before +0, and NaNs lie beyond the infinities, so
// that whether there is one shows at the ends.

#include "cuda/parts/vectors.cuh"

namespace onefold::cuda::folds {

/// The integers that places are kept in.
template <class T>
using place_type = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <class T>
inline constexpr auto largest_place = place_type<T>(~std::uint64_t(0) >>
                                                    (65 - 8 * sizeof(place_type<T>)));

template <class T>
__device__ __forceinline__ place_type<T> place_of(bits_of<T> bits) {
  using place = place_type<T>;
  const auto sign_extended = place(std::make_signed_t<bits_of<T>>(bits));
  constexpr auto magnitude = place(detail::float_format<T>::sign_bit - 1);
  return sign_extended ^ (sign_extended >> (8 * sizeof(place) - 1) & magnitude);
}

/// The bits of the element at a place: both ways are the same.
template <class T>
__device__ __forceinline__ bits_of<T> bits_of_place(place_type<T> place) {
  return bits_of<T>(place_of<T>(bits_of<T>(place)));
}

template <class T>
__device__ __forceinline__ bool is_nan_place(place_type<T> place) {
  constexpr auto infinity = place_type<T>(detail::float_format<T>::infinity);
  return place > infinity || place < ~infinity;
}

/// The ends of a few elements.
template <class T>
struct ends {
  using place = place_type<T>;
  place least = largest_place<T>, largest = ~largest_place<T>;

  __device__ __forceinline__ void take(const uint4& v) {
    for (unsigned j = 0; j < vector_items<T>; ++j) {
      const place next = place_of<T>(element_bits<T>(v, j));
      least = min(least, next), largest = max(largest, next);
    }
  }
  __device__ __forceinline__ place lowest() const { return least; }
  __device__ __forceinline__ place highest() const { return largest; }
};

}  // namespace onefold::cuda::folds
