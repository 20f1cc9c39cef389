// SPDX-License-Identifier: Apache-2.0
#pragma once
// One answer by exact arithmetic alone, from its elements: for those that an interval or a
// double-word sum leaves ambiguous.

#include "cuda/accumulators/slow.cuh"
#include "cuda/rounding/answer.cuh"

namespace onefold::cuda {

/// Elements `stride` apart, as many as a run has; runs are `apart`.
struct strided_range {
  std::int64_t stride, count, run, apart;

  ONEFOLD_DEVICE std::int64_t at(std::int64_t r) const {
    const std::int64_t before = r < run ? 0 : r / run;
    return before * apart + (r - before * run) * stride;
  }
};

/// The carried digits of |sum| in format Out. Zero is +0: sums of nothing but -0 are decided.
template <accumulator Accumulator, class T, class Out>
ONEFOLD_DEVICE void write_digits(const std::int64_t* words, bool minus, std::int64_t n,
                                 answer_form::kind kind, void* out, std::int64_t k) {
  using traits = terms<Accumulator, T>;
  using format = detail::float_format<Out>;
  const std::int64_t nans = words[traits::limbs + 1];
  const std::int64_t above = words[traits::limbs + 2], below = words[traits::limbs + 3];
  typename format::bits bits = 0;
  const detail::digits_view digits = {words, traits::limbs};
  if (nans > 0 || (above > 0 && below > 0))
    bits = format::quiet_nan;
  else if (above > 0 || below > 0)
    bits = format::infinity, minus = below > 0;
  else if (kind == answer_form::kind::mean)
    bits = detail::round_mean<Out, detail::all_checks>(digits, traits::lsb, n);
  else if (kind == answer_form::kind::root)
    bits = detail::round_root<Out, detail::all_checks>(digits, traits::lsb);
  else
    bits = detail::round_magnitude<Out, detail::all_checks>(digits, traits::lsb);
  if (minus && bits != format::quiet_nan) bits = typename format::bits(bits | format::sign_bit);
  write_bits<Out>(out, k, bits);
}

/// Writes the answer k of n elements that have terms::words `words`, which change. One lane.
template <accumulator Accumulator, class T>
ONEFOLD_DEVICE void finish_digits(std::int64_t* words, std::int64_t n, answer_form::kind kind,
                                  dtype output, void* out, std::int64_t k) {
  using traits = terms<Accumulator, T>;
  detail::carry_digits<detail::all_checks>(words, traits::limbs);
  const bool minus = words[traits::limbs - 1] < 0;
  if (minus) detail::negate_digits<detail::all_checks>(words, traits::limbs);
  if constexpr (std::is_same_v<T, double>)
    write_digits<Accumulator, T, double>(words, minus, n, kind, out, k);
  else if (output == dtype::f32)
    write_digits<Accumulator, T, float>(words, minus, n, kind, out, k);
  else if (output == dtype::f16)
    write_digits<Accumulator, T, f16>(words, minus, n, kind, out, k);
  else
    write_digits<Accumulator, T, bf16>(words, minus, n, kind, out, k);
}

/// The warp's lanes sum up some elements; lane 0 writes. words: terms::words of shared memory, the
/// warp's own.
template <accumulator Accumulator, class T>
ONEFOLD_COLD void fallback_answer(const T* x, strided_range elements, answer_form::kind kind,
                                  dtype output, std::int64_t* words, void* out, std::int64_t k) {
  using traits = terms<Accumulator, T>;
  const warp_digits<traits::limbs, traits::words> digits(words);
  digits.clear();
  const std::int64_t n = elements.count;
  exact_fallback<Accumulator, T>(x, x, words).add(elements);
  __syncwarp();
  if (lane_index() == 0) finish_digits<Accumulator, T>(words, n, kind, output, out, k);
  __syncwarp();
}

}  // namespace onefold::cuda
