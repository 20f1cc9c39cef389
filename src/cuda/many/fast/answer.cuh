// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a fast sum to its answer in memory.

#include "cuda/exact/answer.cuh"

namespace onefold::cuda {

template <class Out>
ONEFOLD_DEVICE void write_number(double x, void* out, std::int64_t k) {
  if constexpr (std::is_same_v<Out, double>)
    write_bits<Out>(out, k, x == x ? detail::to_bits(x) : detail::float_format<Out>::quiet_nan);
  else
    write_bits<Out>(out, k, rounded_bits<Out>(x));
}

/// The answer of a fast sum: a quotient or root in f64, rounded once to its type.
ONEFOLD_DEVICE void write_fast(double sum, const answer_form& form, void* out, std::int64_t k) {
  if (form.what == answer_form::kind::mean) sum = __ddiv_rn(sum, double(form.n));
  if (form.what == answer_form::kind::root) sum = __dsqrt_rn(sum);
  switch (form.output) {
  case dtype::f64:
    return write_number<double>(sum, out, k);
  case dtype::f32:
    return write_number<float>(sum, out, k);
  case dtype::f16:
    return write_number<f16>(sum, out, k);
  default:
    return write_number<bf16>(sum, out, k);
  }
}

/// The same of a sum whose answer has the elements' type T.
template <class T, class Number>
ONEFOLD_DEVICE void write_fast_sum(Number sum, void* out, std::int64_t k) {
  if constexpr (sizeof(T) == 2)
    write_bits<T>(out, k, rounded_bits<T>(sum));
  else
    write_bits<T>(out, k, sum == sum ? detail::to_bits(sum) : detail::float_format<T>::quiet_nan);
}
/// The same of any form: a call, so that the loops around it do not pay for its registers.
inline ONEFOLD_COLD void write_fast_rarely(double sum, answer_form::kind what, dtype output,
                                           std::int64_t n, void* out, std::int64_t k) {
  write_fast(sum, answer_form{what, output, n}, out, k);
}

}  // namespace onefold::cuda
