// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sum of a row's squares, rounded to nearest in float64: double-word sums of lanes, which
// decide almost every row, and exact arithmetic for the rest. docs/numerics/rms-norm.md has the
// proof.

#include "cuda/accumulators/answer_terms.cuh"
#include "cuda/accumulators/interval.cuh"
#include "cuda/primitives/half_ends.cuh"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

/// A window begins at the double 2^(2 e + log2(terms)), for elements below 2^e, of which the lanes
/// that share it have at most `terms` together. To that a lane adds its squares, so that every sum
/// is a multiple of one unit. What a sum is rounded by is added to an interval; squares of
/// elements of 16 bits that are no smaller than 2^-10 of the largest element leave nothing.
template <class T, int Vectors>
class square_window {
 public:
  using format = detail::float_format<T>;
  static constexpr int items = Vectors * vector_items<T>;
  static_assert(sizeof(T) < 8 && (items == 16 || items == 32));
  static constexpr int terms_log2 = (items == 16 ? 4 : 5) + 5;  // of 32 lanes

  /// Fields of exponents, 1 for subnormal elements: of the largest element of a lane, and of the
  /// least but zeros.
  struct exponents {
    int largest, least;
  };
  ONEFOLD_DEVICE static exponents exponents_of(const uint4 (&v)[Vectors]) {
    if constexpr (sizeof(T) == 2) {
      half_ends ends;
      ONEFOLD_UNROLL
      for (int i = 0; i < Vectors; ++i)
        ends.take(v[i].x), ends.take(v[i].y), ends.take(v[i].z), ends.take(v[i].w);
      return {field_of(ends.largest()), field_of(ends.least())};
    } else {
      // A NaN is left out: the sum is one in any window.
      float largest = 0;
      ONEFOLD_UNROLL
      for (int i = 0; i < Vectors; ++i)
        largest = fmaxf(
            fmaxf(fmaxf(largest, magnitude(v[i].x)), fmaxf(magnitude(v[i].y), magnitude(v[i].z))),
            magnitude(v[i].w));
      return {field_of(__float_as_int(largest)), 1};
    }
  }

  /// largest: of all lanes that share the window.
  ONEFOLD_DEVICE explicit square_window(int largest) : largest_(largest) {
    const int e = largest - format::max_exponent + 1, power = 2 * e + terms_log2;
    start_ = __builtin_bit_cast(double, std::uint64_t(power + 1023) << 52);
  }

  /// The lane's sum: s is a multiple of the window's unit. Every lane of the warp calls it.
  ONEFOLD_DEVICE pair_sum sum_of(const uint4 (&v)[Vectors], int least) const {
    if constexpr (sizeof(T) == 2)
      if (!any_lane(largest_ - least > (52 - terms_log2) / 2 - format::fraction_bits - 1))
        return sum_of<true>(v);
    return sum_of<false>(v);
  }

 private:
  ONEFOLD_DEVICE static float magnitude(std::uint32_t bits) {
    return fabsf(detail::from_bits<float>(bits));
  }
  ONEFOLD_DEVICE static int field_of(int magnitude) {
    return max(magnitude >> format::fraction_bits, 1);
  }

  template <bool Whole>
  ONEFOLD_DEVICE pair_sum sum_of(const uint4 (&v)[Vectors]) const {
    double a = start_;
    pair_sum sum;
    ONEFOLD_UNROLL
    for (int i = 0; i < Vectors; ++i)
      add_items<Whole>(a, sum, v[i], std::make_integer_sequence<int, vector_items<T>>());
    sum.s = a - start_;
    return sum;
  }
  template <bool Whole, int... I>
  ONEFOLD_DEVICE static void add_items(double& a, pair_sum& sum, const uint4& v,
                                       std::integer_sequence<int, I...>) {
    (add<Whole>(a, sum, double_of<T>(bits_in<T, I>(v))), ...);
  }
  template <bool Whole>
  ONEFOLD_DEVICE static void add(double& a, pair_sum& sum, double x) {
    const double next = fma(x, x, a);
    if (!Whole) sum.add_low(fma(x, x, a - next));
    a = next;
  }

  int largest_;
  double start_;
};

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
  using traits = terms<squares, T>;
  warp_digits<traits::limbs, traits::words>(words).clear();
  __syncwarp();
  exact_fallback<squares, T>(x, x, words).add(strided_range{1, n, n, 0});
  __syncwarp();
  if (lane_index() == 0) {
    detail::carry_digits<detail::all_checks>(words, traits::limbs);
    write_digits<squares, T, double>(words, false, n, answer_form::kind::sum, words, traits::words);
  }
  __syncwarp();
  const auto bits = std::uint64_t(words[traits::words]);
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

/// The sum of two lanes that share a window.
ONEFOLD_DEVICE void join_in_window(pair_sum& to, const pair_sum& other) {
  to.s += other.s;
  to.u = __dadd_ru(to.u, other.u), to.minus_d = __dadd_ru(to.minus_d, other.minus_d);
}

/// The sum of the vectors of 2^k = `lanes` lanes, in each of them, which share a Window.
template <class Window, int Vectors>
ONEFOLD_DEVICE pair_sum sum_in_window(const uint4 (&v)[Vectors], unsigned lanes) {
  const auto found = Window::exponents_of(v);
  int largest = found.largest;
  if (lanes == warp_lanes) {
    largest = int(warp_max(unsigned(largest)));
  } else {
    ONEFOLD_ROLLED
    for (unsigned mask = 1; mask < lanes; mask *= 2)
      largest = max(largest, __shfl_xor_sync(whole_warp, largest, int(mask)));
  }
  pair_sum sum = Window(largest).sum_of(v, found.least);
  const bool rounded = any_lane(sum.u != 0 || sum.minus_d != 0);
  ONEFOLD_ROLLED
  for (unsigned mask = 1; mask < lanes; mask *= 2) {
    if (rounded)
      join_in_window(sum, sum_across(sum, int(mask)));
    else
      sum.s += __shfl_xor_sync(whole_warp, sum.s, int(mask));
  }
  return sum;
}

/// The same of squares.
template <class T, int Vectors>
ONEFOLD_DEVICE pair_sum squares_across(const vector_of<T> (&v)[Vectors], unsigned lanes) {
  if constexpr (sizeof(T) == 8) {
    pair_sum sum = squares_of<T>(v);
    join_group(sum, lanes);
    return sum;
  } else {
    return sum_in_window<square_window<T, Vectors>>(v, lanes);
  }
}

}  // namespace onefold::cuda
