// SPDX-License-Identifier: Apache-2.0
#pragma once
// The columns of a lane: the sums of its elements, their means, and what both ends round to.
// docs/numerics/scatter.md.

#include "cuda/kernels/keys/scatter/scatter_launch.hpp"
#include "cuda/primitives/pairs.cuh"
#include "cuda/rounding/quick_answer.cuh"
#include "cuda/rounding/rounded_pair.cuh"

namespace onefold::cuda {

/// Positions first … last - 1 of all lists: numbers of 32 bits, as those of rows are.
struct list_range {
  std::uint32_t first, last;

  ONEFOLD_DEVICE std::uint32_t count() const { return last - first; }
};

/// Lists whose rows' numbers are in shared memory.
inline constexpr std::uint32_t short_rows = warp_lanes;

/// A column of a list, and its initial element, for exact sums. Offsets are from its first element.
struct listed_elements {
  const std::uint32_t* places;
  std::int64_t first, rows, stride, initial, count;

  ONEFOLD_DEVICE std::int64_t at(std::int64_t i) const {
    if (i >= rows) return initial;
    return (places == nullptr ? first + i : std::int64_t(places[first + i])) * stride;
  }
};

/// Writes element k of `out` by exact arithmetic. words: terms::words of shared memory, the warp's
/// own. Every lane of the warp calls it.
template <class T>
ONEFOLD_COLD void exact_scatter(const T* x, const listed_elements& elements, std::int64_t divisor,
                                bool is_mean, std::int64_t* words, void* out, std::int64_t k) {
  using traits = terms<accumulator::total, T>;
  warp_digits<traits::limbs, traits::words>(words).clear();
  exact_fallback<accumulator::total, T>(x, x, words).add(elements);
  __syncwarp();
  if (lane_index() == 0)
    finish_digits<accumulator::total, T>(words, divisor,
                                         is_mean ? answer_form::kind::mean : answer_form::kind::sum,
                                         dtype_of<T>, out, k);
  __syncwarp();
}

/// The bits of a mean of n elements, and whether they are certified.
template <class T>
ONEFOLD_DEVICE bool mean_bits(interval_sum sum, std::int64_t n, const quotient_bounds& by,
                              typename detail::float_format<T>::bits& made) {
  const auto divided = [&](double x) {  // zeros and what is not finite stay as they are
    return x == 0 || x - x != 0 ? x : mean_up(x, double(n), by);
  };
  sum.u = divided(sum.u), sum.minus_d = divided(sum.minus_d);
  return plain_bits<T>(sum, made);
}
template <class T>
ONEFOLD_DEVICE bool mean_bits(const pair_sum& sum, std::int64_t n, const quotient_bounds& by,
                              std::uint64_t& made) {
  if (bits_of_mean<T>(sum, n, by, made)) return true;
  made = detail::to_bits(sum.s);
  return sum.s == 0 && sum.u == 0 && sum.minus_d == 0;
}

/// The sums of a lane's columns.
template <class T, class Sum>
struct lane_columns {
  using terms = batched_terms<accumulator::total, T>;
  static constexpr int items = vector_items<T>;
  Sum sums[items];

  ONEFOLD_DEVICE void add(const vector_of<T>& v) {
    add(v, std::make_integer_sequence<int, items>());
  }
  /// The sums of all lanes whose numbers differ by multiples of `across`, in each.
  ONEFOLD_DEVICE void join(unsigned across) {
    ONEFOLD_ROLLED
    for (unsigned mask = across; mask < warp_lanes; mask *= 2) {
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) sums[i].join(sum_across(sums[i], int(mask)));
    }
  }

 private:
  template <int... I>
  ONEFOLD_DEVICE void add(const vector_of<T>& v, std::integer_sequence<int, I...>) {
    (terms::add(sums[I], bits_in<T, I>(v)), ...);
  }
};

/// mean_up of floats, n <= 64: a quotient is within 2^-23 of x fl(1/n), and it is x / n if it
/// leaves nothing. Zeros stay as they are. Precondition: 0, or the quotient is at least 2^-91 in
/// magnitude.
ONEFOLD_DEVICE float mean_up(float x, float n, float reciprocal) {
  const float q = x * reciprocal, quotient = fmaf(fmaf(-q, n, x), reciprocal, q);
  const float up = fmaf(-quotient, n, x) == 0 ? quotient : fmaf(fabsf(q), 0x1p-22f, q);
  return x == 0 ? x : up;
}
/// The means of n elements each; false where one may be too small for its bounds.
template <class T>
ONEFOLD_DEVICE bool divide(lane_columns<T, interval_sum_of<upward, float>>& total, float n) {
  const float reciprocal = 1.0f / n;
  bool small = false;
  const auto take_mean = [&](float& x) {
    x = mean_up(x, n, reciprocal);
    small |= fabsf(x) < 0x1p-90f && x != 0;
  };
  ONEFOLD_UNROLL
  for (int i = 0; i < vector_items<T>; ++i) {
    take_mean(total.sums[i].u);
    take_mean(total.sums[i].minus_d);
  }
  return !small;
}

/// What columns of 16-bit elements round to, two in a word, and whether both ends of each round to
/// the same finite number. Zeros of both signs are different.
template <class T>
ONEFOLD_DEVICE bool round_pairs(const lane_columns<T, interval_sum_of<upward, float>>& total,
                                std::uint32_t (&words)[4]) {
  std::uint32_t differ = 0, not_finite = 0;
  ONEFOLD_UNROLL
  for (int i = 0; i < 4; ++i) {
    const auto &low = total.sums[2 * i], &high = total.sums[2 * i + 1];
    words[i] = rounded_pair<T>(low.u, high.u);
    differ |= words[i] ^ rounded_pair<T>(-low.minus_d, -high.minus_d);
    not_finite = plus_zero_times<T>(words[i], not_finite);
  }
  return (differ | not_finite) == 0;
}

}  // namespace onefold::cuda
