// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sum of a row's squares, rounded to nearest in float64: double-word sums of lanes, which
// decide almost every row, and exact arithmetic for the rest.

#include "cuda/exact/answer_terms.cuh"
#include "cuda/normalize/square_window.cuh"

namespace onefold::cuda {

/// The double nearest to the sum. False: it is ambiguous. Where elements of at most 32 bits have a
/// sum that is not finite, an element is not; the doubles' may have overflowed.
template <class T>
ONEFOLD_DEVICE bool nearest_double(const pair_sum& sum, double& nearest) {
  std::uint64_t bits;
  const bool certified = ends_meet(sum.s, sum.u, sum.minus_d, bits);
  nearest = certified ? detail::from_bits<double>(bits) : sum.s;
  return certified || sum.s != sum.s || (sizeof(T) < 8 && sum.s - sum.s != 0);
}

template <class T>
inline constexpr int squares_words = terms<accumulator::squares, T>::words + 1;

/// The same by the whole warp, from the elements. words: squares_words of shared memory, the warp's
/// own.
template <class T>
ONEFOLD_COLD double exact_squares(const T* x, std::int64_t n, std::int64_t* words) {
  constexpr accumulator squares = accumulator::squares;
  using of = terms<squares, T>;
  warp_digits<of::limbs, of::words>(words).clear();
  __syncwarp();
  exact_fallback<squares, T>(x, x, words).add(strided_range{1, n, n, 0});
  __syncwarp();
  if (lane_index() == 0) {
    detail::carry_digits<detail::all_checks>(words, of::limbs);
    write_digits<squares, T, double>(words, false, n, answer_form::kind::sum, words, of::words);
  }
  __syncwarp();
  const auto bits = std::uint64_t(words[of::words]);
  __syncwarp();
  return detail::from_bits<double>(bits);
}

/// The sum of some vectors of a lane. Every lane of the warp calls it.
template <class T, int Vectors>
ONEFOLD_DEVICE pair_sum squares_of(const vector_of<T> (&v)[Vectors]) {
  if constexpr (sizeof(T) == 8) {
    pair_sum sum;
    ONEFOLD_UNROLL
    for (int i = 0; i < Vectors; ++i) {
      sum.add_product(detail::from_bits<T>(v[i].x), detail::from_bits<T>(v[i].x));
      sum.add_product(detail::from_bits<T>(v[i].y), detail::from_bits<T>(v[i].y));
    }
    return sum;
  } else {
    using window = square_window<T, Vectors>;
    const auto found = window::exponents_of(v);
    return window(found.largest).sum_of(v, found.least);
  }
}

/// The sum over 2^k lanes of a warp, in each of them; `lanes` of these have one.
ONEFOLD_DEVICE void join_lanes(pair_sum& sum, unsigned lanes) {
  ONEFOLD_ROLLED
  for (unsigned mask = 1; mask < lanes; mask *= 2) sum.join(sum_across(sum, int(mask)));
}

/// The sum of the vectors of 2^k = `lanes` lanes, in each of them.
template <class T, int Vectors>
ONEFOLD_DEVICE pair_sum squares_across(const vector_of<T> (&v)[Vectors], unsigned lanes) {
  if constexpr (sizeof(T) == 8) {
    pair_sum sum = squares_of<T>(v);
    join_lanes(sum, lanes);
    return sum;
  } else {
    using window = square_window<T, Vectors>;
    const auto found = window::exponents_of(v);
    int largest = found.largest;
    if (lanes == warp_lanes) {
      largest = int(warp_max(unsigned(largest)));
    } else {
      ONEFOLD_ROLLED
      for (unsigned mask = 1; mask < lanes; mask *= 2)
        largest = max(largest, __shfl_xor_sync(whole_warp, largest, int(mask)));
    }
    pair_sum sum = window(largest).sum_of(v, found.least);
    const bool rounded = any_lane(sum.u != 0 || sum.minus_d != 0);
    ONEFOLD_ROLLED
    for (unsigned mask = 1; mask < lanes; mask *= 2) {
      if (rounded)
        window::join(sum, sum_across(sum, int(mask)));
      else
        sum.s += __shfl_xor_sync(whole_warp, sum.s, int(mask));
    }
    return sum;
  }
}

}  // namespace onefold::cuda
