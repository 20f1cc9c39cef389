// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sum of a row's elements, rounded to nearest in float64, as row_squares.cuh has that of their
// squares, and both exactly of rows less their means. docs/numerics/layer-norm.md has the proof.

#include "cuda/kernels/normalize/row_items.cuh"
#include "cuda/kernels/normalize/row_squares.cuh"
#include "request/layer_norm_rows.hpp"

namespace onefold::cuda {

/// A window begins at the double 1.5 * 2^(e + log2(terms)), for elements below 2^e, of which the
/// lanes that share it have at most `terms` together. What a sum is rounded by is added to an
/// interval; elements whose last bit is no smaller than the window's unit leave nothing.
template <class T, int Vectors>
class sum_window {
 public:
  using squares = square_window<T, Vectors>;
  using format = detail::float_format<T>;
  using exponents = typename squares::exponents;

  ONEFOLD_DEVICE static exponents exponents_of(const uint4 (&v)[Vectors]) {
    exponents found = squares::exponents_of(v);
    if constexpr (sizeof(T) == 4) {
      std::uint32_t least = 0xFFFFFFFF;  // less one: zeros are larger than all others
      ONEFOLD_UNROLL
      for (int i = 0; i < Vectors; ++i)
        least =
            min(min(min(least, below(v[i].x)), min(below(v[i].y), below(v[i].z))), below(v[i].w));
      if (least != 0xFFFFFFFF) found.least = max(int((least + 1) >> format::fraction_bits), 1);
      if (least == 0xFFFFFFFF) found.least = found.largest;
    }
    return found;
  }

  /// largest: of all lanes that share the window.
  ONEFOLD_DEVICE explicit sum_window(int largest) : largest_(largest) {
    const int power = largest - format::max_exponent + 1 + squares::terms_log2;
    start_ = 1.5 * __builtin_bit_cast(double, std::uint64_t(power + 1023) << 52);
  }

  /// The lane's sum: s is a multiple of the window's unit. Every lane of the warp calls it.
  ONEFOLD_DEVICE pair_sum sum_of(const uint4 (&v)[Vectors], int least) const {
    if constexpr (sizeof(T) == 2)
      if (!any_lane(largest_ - least > 21 - format::fraction_bits || largest_ > 252))
        return sum_of_fours(v);
    if (any_lane(largest_ - least > 51 - squares::terms_log2 - format::fraction_bits))
      return sum_of<false>(v);
    return sum_of<true>(v);
  }

 private:
  ONEFOLD_DEVICE static std::uint32_t below(std::uint32_t bits) { return (bits & 0x7FFFFFFF) - 1; }

  // Sums of four elements are floats.
  ONEFOLD_DEVICE pair_sum sum_of_fours(const uint4 (&v)[Vectors]) const {
    double a = start_;
    ONEFOLD_UNROLL
    for (int i = 0; i < Vectors; ++i) {
      float x[8];
      row_items<T>::values(v[i], x);
      a += double((x[0] + x[1]) + (x[2] + x[3]));
      a += double((x[4] + x[5]) + (x[6] + x[7]));
    }
    pair_sum sum;
    sum.s = a - start_;
    return sum;
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
    const double next = a + x;
    if (!Whole) sum.add_low(x - (next - a));
    a = next;
  }

  int largest_;
  double start_;
};

/// The sum of some vectors of a lane. Every lane of the warp calls it.
template <class T, int Vectors>
ONEFOLD_DEVICE pair_sum sum_of_vectors(const vector_of<T> (&v)[Vectors]) {
  if constexpr (sizeof(T) == 8) {
    pair_sum sum;
    ONEFOLD_UNROLL
    for (int i = 0; i < Vectors; ++i)
      sum.add(detail::from_bits<T>(v[i].x)), sum.add(detail::from_bits<T>(v[i].y));
    return sum;
  } else {
    using window = sum_window<T, Vectors>;
    const auto found = window::exponents_of(v);
    return window(found.largest).sum_of(v, found.least);
  }
}

/// The sum of the vectors of 2^k = `lanes` lanes, in each of them.
template <class T, int Vectors>
ONEFOLD_DEVICE pair_sum sum_across_vectors(const vector_of<T> (&v)[Vectors], unsigned lanes) {
  if constexpr (sizeof(T) == 8) {
    pair_sum sum = sum_of_vectors<T>(v);
    join_group(sum, lanes);
    return sum;
  } else {
    return sum_in_window<sum_window<T, Vectors>>(v, lanes);
  }
}

/// The double nearest to a sum of terms of both signs. False: it is ambiguous. What is not finite
/// comes from an element of at most 32 bits; the doubles' may have overflowed.
template <class T>
ONEFOLD_DEVICE bool nearest_total(const pair_sum& sum, double& nearest) {
  std::uint64_t bits;
  const bool certified = ends_meet(sum.s, sum.u, sum.minus_d, bits);
  nearest = certified ? detail::from_bits<double>(bits) : sum.s;
  return certified || (sizeof(T) < 8 && sum.s - sum.s != 0);
}

template <class T>
struct centred_words {
  using real = typename row_items<T>::real;
  static constexpr int total = terms<accumulator::total, T>::words;
  static constexpr int squares = terms<accumulator::squares, real>::words;
  static constexpr int count = (total > squares ? total : squares) + 1;
};

/// The double nearest to what `words` have, in all lanes; the word after them is written.
template <accumulator Accumulator, class T>
ONEFOLD_DEVICE double rounded_words(std::int64_t* words, std::int64_t n) {
  using traits = terms<Accumulator, T>;
  __syncwarp();
  if (lane_index() == 0) {
    detail::carry_digits<detail::all_checks>(words, traits::limbs);
    const bool minus = words[traits::limbs - 1] < 0;
    if (minus) detail::negate_digits<detail::all_checks>(words, traits::limbs);
    write_digits<Accumulator, T, double>(words, minus, n, answer_form::kind::sum, words,
                                         traits::words);
  }
  __syncwarp();
  const auto bits = std::uint64_t(words[traits::words]);
  __syncwarp();
  return detail::from_bits<double>(bits);
}

/// A row's sum by the whole warp. words: centred_words of shared memory, the warp's own.
template <class T>
ONEFOLD_COLD double exact_total(const T* x, std::int64_t n, std::int64_t* words) {
  using traits = terms<accumulator::total, T>;
  warp_digits<traits::limbs, traits::words>(words).clear();
  __syncwarp();
  exact_fallback<accumulator::total, T>(x, x, words).add(strided_range{1, n, n, 0});
  return rounded_words<accumulator::total, T>(words, n);
}

/// The same of the squares of the elements less the mean.
template <class T>
ONEFOLD_COLD double exact_centred_squares(const T* x, std::int64_t n, double mean,
                                          std::int64_t* words) {
  using real = typename row_items<T>::real;
  using traits = terms<accumulator::squares, real>;
  using fallback = exact_fallback<accumulator::squares, real>;
  warp_digits<traits::limbs, traits::words>(words).clear();
  __syncwarp();
  ONEFOLD_ROLLED
  for (std::int64_t base = 0; base < n; base += fallback::step) {
    typename fallback::bits a[fallback::per_lane], b[fallback::per_lane];
    ONEFOLD_UNROLL
    for (int i = 0; i < fallback::per_lane; ++i) {
      const std::int64_t at = base + i * std::int64_t(warp_lanes) + lane_index();
      a[i] = traits::format::sign_bit;
      if (at < n)
        a[i] = detail::to_bits(centred(row_items<T>::value(detail::to_bits(x[at])), mean));
      b[i] = a[i];
    }
    fallback(nullptr, nullptr, words).add_loaded(a, b);
  }
  return rounded_words<accumulator::squares, real>(words, n);
}

}  // namespace onefold::cuda
