// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a sum of exponentials needs to know of a chunk before it: its ends, as places in the order
// of the elements.
//
// The place of an element is a signed integer: the bits, all but the sign flipped for negative
// ones. That is IEEE's total order: -0 is just before +0, and NaNs lie beyond the infinities, so
// that whether there is one shows at the ends.

#include "cuda/parts/greater.cuh"
#include "cuda/parts/lanes.cuh"
#include "cuda/parts/vectors.cuh"
#include "cuda/parts/warp.cuh"
#include "state/exponential.hpp"

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

namespace onefold::cuda {

/// The ends of some elements, as places.
template <class T>
struct place_ends {
  using place = folds::place_type<T>;
  place least = folds::largest_place<T>, largest = ~folds::largest_place<T>;

  ONEFOLD_DEVICE void take(const place_ends& y) {
    least = min(least, y.least), largest = max(largest, y.largest);
  }
  /// Those of each Lanes neighbours, or of the warp.
  template <unsigned Lanes = warp_lanes>
  ONEFOLD_DEVICE void fold() {
    for (unsigned step = Lanes / 2; step > 0; step /= 2)
      take({__shfl_xor_sync(whole_warp, least, step), __shfl_xor_sync(whole_warp, largest, step)});
  }
  /// NaNs lie beyond the infinities.
  ONEFOLD_DEVICE bool have_nan() const {
    return folds::is_nan_place<T>(least) || folds::is_nan_place<T>(largest);
  }
};

/// The ends of vectors of elements, as far as a chunk of T asks for them.
template <class T>
struct vector_ends : folds::ends<T> {};
/// The largest element alone, or a NaN, in place of both.
template <>
struct vector_ends<float> {
  float largest = -INFINITY;

  ONEFOLD_DEVICE void take(const uint4& v) {
    const auto larger = [](std::uint32_t a, std::uint32_t b) {
      return greater_or_nan(detail::from_bits<float>(a), detail::from_bits<float>(b));
    };
    largest = greater_or_nan(largest, greater_or_nan(larger(v.x, v.y), larger(v.z, v.w)));
  }
  ONEFOLD_DEVICE std::int32_t lowest() const {
    return folds::place_of<float>(detail::to_bits(largest));
  }
  ONEFOLD_DEVICE std::int32_t highest() const { return lowest(); }
  ONEFOLD_DEVICE float top() const { return largest; }
};

template <class T>
requires(sizeof(T) == 2) struct vector_ends<T> {
  unsigned largest =
      detail::float_format<T>::sign_bit * 0x10001u | detail::float_format<T>::infinity * 0x10001u;

  ONEFOLD_DEVICE void take(const uint4& v) { take_word(v.x, v.y), take_word(v.z, v.w); }
  ONEFOLD_DEVICE std::int32_t lowest() const { return highest(); }
  ONEFOLD_DEVICE std::int32_t highest() const {
    return max(folds::place_of<T>(std::uint16_t(largest)),
               folds::place_of<T>(std::uint16_t(largest >> 16)));
  }
  ONEFOLD_DEVICE float top() const {
    return greater_or_nan(number_of<T>(std::uint16_t(largest)),
                          number_of<T>(std::uint16_t(largest >> 16)));
  }

 private:
  ONEFOLD_DEVICE void take_word(unsigned a, unsigned b) {
    largest = greater_halves_or_nan<T>(largest, greater_halves_or_nan<T>(a, b));
  }
};

/// The place of the largest element that is no NaN, and how many NaNs there are.
template <class T>
struct chunk_top {
  using place = folds::place_type<T>;
  static constexpr auto infinity = place(detail::float_format<T>::infinity);

  place largest = ~folds::largest_place<T>;
  std::uint32_t nans = 0;
  bool near = false;  ///< of f64: no element is a NaN or so far below that its exponential is zero

  chunk_top() = default;
  /// Of elements without a NaN.
  ONEFOLD_DEVICE explicit chunk_top(const place_ends<T>& ends) : largest(ends.largest) {
    near = value_at(ends.least) - value_at(ends.largest) >= exponential::least_argument;
  }

  ONEFOLD_DEVICE void take(folds::bits_of<T> bits) {
    const place one = folds::place_of<T>(bits);
    const bool nan = folds::is_nan_place<T>(one);
    nans += nan;
    if (!nan) largest = max(largest, one);
  }
  /// As place_ends::fold.
  template <unsigned Lanes = warp_lanes>
  ONEFOLD_DEVICE void fold() {
    for (unsigned step = Lanes / 2; step > 0; step /= 2) {
      largest = max(largest, __shfl_xor_sync(whole_warp, largest, step));
      nans += __shfl_xor_sync(whole_warp, nans, step);
    }
  }

  ONEFOLD_DEVICE bool infinite() const { return largest == infinity; }
  /// Whether there is no sum: no element is finite, or one is +Inf.
  ONEFOLD_DEVICE bool none() const { return infinite() || largest <= ~infinity; }
  ONEFOLD_DEVICE double value() const { return value_at(largest); }

 private:
  ONEFOLD_DEVICE static double value_at(place at) {
    return double_of<T>(folds::bits_of_place<T>(at));
  }
};

}  // namespace onefold::cuda
