// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers as most callers ask for them: sums of floats in their own type, of integers in 64 bits.
// Their form is looked at once a kernel, not once an answer.

#include "cuda/many/terms.cuh"
#include "onefold/dtype.hpp"

namespace onefold::cuda {

template <class Terms>
ONEFOLD_DEVICE bool is_plain(const answer_form& form) {
  using T = typename Terms::element;
  if (form.what != answer_form::kind::sum || form.n == 0) return false;
  if constexpr (requires { detail::float_format<T>::precision; })
    return form.output == dtype_of<T>;
  else
    return form.output == dtype::i64 || form.output == dtype::u64;
}

/// write_answer of a plain form.
template <class T, class Sum>
ONEFOLD_DEVICE bool write_plain(const Sum& sum, const answer_form& form, void* out,
                                std::int64_t k) {
  return write_answer(sum, answer_form{answer_form::kind::sum, form.output, form.n}, out, k);
}
template <class T, class Rounding>
ONEFOLD_DEVICE bool write_plain(const bracket_sum_of<Rounding>& sum, const answer_form&, void* out,
                                std::int64_t k) {
  if constexpr (!std::is_same_v<T, float>) {  // few sums of 16-bit elements are not exact
    const auto above = rounded_bits<T>(sum.u);
    write_bits<T>(out, k, above);
    return sum.u == -sum.minus_d || above == rounded_bits<T>(-sum.minus_d);
  }
  // Terms are multiples of 2^-298 far below overflow: either both ends are NaN or none is, and ends
  // that differ by sign alone are zeros, of which the upper one is right.
  const float above = __double2float_rn(sum.u), below = __double2float_rn(-sum.minus_d);
  const std::uint32_t bits = __float_as_uint(above);
  write_bits<float>(out, k, above == above ? bits : detail::float_format<float>::quiet_nan);
  return !(above > below || above < below);
}
template <class T, int Counters>
ONEFOLD_DEVICE bool write_plain(const counter_sum<Counters>& sum, const answer_form&, void* out,
                                std::int64_t k) {
  std::uint64_t low = std::uint64_t(sum.counts[0]);
  if constexpr (Counters == 2) low += std::uint64_t(sum.counts[1]) << 32;
  static_cast<std::uint64_t*>(out)[k] = low;
  return true;
}

}  // namespace onefold::cuda
