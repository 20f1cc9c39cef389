// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers as most callers ask for them: sums of floats in their own type, of integers in 64 bits.
// Their form is looked at once a kernel, not once an answer.

#include "cuda/accumulators/answer_terms.cuh"
#include "onefold/dtype.hpp"

namespace onefold::cuda {

template <class Terms>
ONEFOLD_DEVICE bool is_plain(const answer_form& form) {
  using T = typename Terms::element;
  if (form.which != answer_form::kind::sum || form.n == 0) return false;
  if constexpr (requires { detail::float_format<T>::precision; })
    return form.output == dtype_of<T>;
  else
    return form.output == dtype::i64 || form.output == dtype::u64;
}

/// Writes 2 to 16 bytes that are not read soon: L2 evicts them first.
template <class Words>
ONEFOLD_DEVICE void write_once(Words* to, const Words& words) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  *to = words;
#else
  using word = std::conditional_t<
      sizeof(Words) == 16, uint4,
      std::conditional_t<sizeof(Words) == 8, uint2,
                         std::conditional_t<sizeof(Words) == 4, unsigned, unsigned short>>>;
  __stcs(reinterpret_cast<word*>(to), __builtin_bit_cast(word, words));
#endif
}

/// write_answer of a plain form.
template <class T, class Sum>
ONEFOLD_DEVICE bool write_plain(const Sum& sum, const answer_form& form, void* out,
                                std::int64_t k) {
  return write_answer(sum, answer_form{answer_form::kind::sum, form.output, form.n}, out, k);
}
/// The bits of a plain answer, and whether it is decided.
template <class T, class Rounding, class Number>
ONEFOLD_DEVICE bool plain_bits(const interval_sum_of<Rounding, Number>& sum,
                               typename detail::float_format<T>::bits& made) {
  if constexpr (!std::is_same_v<T, float>) {  // few sums of 16-bit elements are not exact
    made = rounded_bits<T>(sum.u);
    return sum.u == -sum.minus_d || made == rounded_bits<T>(-sum.minus_d);
  }
  // Terms are multiples of 2^-298 far below overflow: either both ends are NaN or none is, and ends
  // that differ by sign alone are zeros, of which the upper one is right.
  const float above = __double2float_rn(sum.u), below = __double2float_rn(-sum.minus_d);
  const std::uint32_t bits = __float_as_uint(above);
  made = above == above ? bits : detail::float_format<float>::quiet_nan;
  return !(above > below || above < below);
}
template <class T>
ONEFOLD_DEVICE bool plain_bits(const pair_sum& sum, std::uint64_t& made) {
  return ends_meet(sum.s, sum.u, sum.minus_d, made);
}
template <class T, class Sum>
ONEFOLD_DEVICE bool write_bits_of(const Sum& sum, void* out, std::int64_t k) {
  using bits = typename detail::float_format<T>::bits;
  bits made;
  const bool certified = plain_bits<T>(sum, made);
  write_once(static_cast<bits*>(out) + k, made);
  return certified;
}
template <class T, class Rounding, class Number>
ONEFOLD_DEVICE bool write_plain(const interval_sum_of<Rounding, Number>& sum, const answer_form&,
                                void* out, std::int64_t k) {
  return write_bits_of<T>(sum, out, k);
}
template <class T>
ONEFOLD_DEVICE bool write_plain(const pair_sum& sum, const answer_form&, void* out,
                                std::int64_t k) {
  return write_bits_of<T>(sum, out, k);
}
template <class T, int Counters>
ONEFOLD_DEVICE bool write_plain(const counter_sum<Counters>& sum, const answer_form&, void* out,
                                std::int64_t k) {
  std::uint64_t low = std::uint64_t(sum.counts[0]);
  if constexpr (Counters == 2) low += std::uint64_t(sum.counts[1]) << 32;
  write_once(static_cast<std::uint64_t*>(out) + k, low);
  return true;
}

}  // namespace onefold::cuda
