// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers without a division: the usual case of means, and of sums of integers that no double
// holds. Whatever is not decided here is left to write_answer.
//
// A mean is bounded by products with fl(1 / n), 1 <= n < 2^31: fl(x fl(1/n)) differs from x / n by
// less than 2^-52 (1 + 2^-53) of it where it is normal, so 2^-50 wider, rounded, there is a bound.

#include "cuda/many/plain_answer.cuh"

namespace onefold::cuda {

/// At or above x / n, given the reciprocal. Precondition: 0, or the quotient is normal or its size
/// does not matter.
ONEFOLD_DEVICE double quotient_up(double x, double reciprocal) {
  const double q = x * reciprocal;
  return fma(fabs(q), 0x1p-50, q);
}

/// A sum that is no zero: of those the sign matters. Sums are multiples of 2^-298, n below 2^31.
template <class Rounding>
ONEFOLD_DEVICE bool write_quickly(const bracket_sum_of<Rounding>& sum, double reciprocal,
                                  const answer_form& form, void* out, std::int64_t k) {
  if (form.what != answer_form::kind::mean || !(fabs(sum.u) > 0)) return false;
  const double u = quotient_up(sum.u, reciprocal), d = -quotient_up(sum.minus_d, reciprocal);
  if (form.output == dtype::f32) return write_bracket<float>(u, d, out, k);
  if (form.output == dtype::f16) return write_bracket<f16>(u, d, out, k);
  return write_bracket<bf16>(u, d, out, k);
}

/// q = fl(h fl(1/n)) leaves t = h - q n exactly: a multiple of an ulp of q, at most 2^32 of them.
ONEFOLD_DEVICE bool write_quickly(const pair_sum& sum, double reciprocal, const answer_form& form,
                                  void* out, std::int64_t k) {
  if (form.what != answer_form::kind::mean || !(fabs(sum.s) > 0x1p-900)) return false;
  double h = sum.s;
  const double l = two_sum(h, sum.c), r = __dmul_ru(sum.r, 1 + 0x1p-18);
  if (!(fabs(h) > 0x1p-900)) return false;
  const double q = h * reciprocal, t = fma(-q, double(form.n), h);
  const double hi = quotient_up(__dadd_ru(__dadd_ru(t, l), r), reciprocal);
  const double nlo = quotient_up(__dadd_ru(__dadd_ru(-t, -l), r), reciprocal);
  const double above = q + hi, below = q - nlo;
  write_bits<double>(out, k, detail::to_bits(above));
  return above == below && above - above == 0;
}

/// Of two counters, to f64.
ONEFOLD_DEVICE bool write_quickly(const counter_sum<2>& sum, double reciprocal,
                                  const answer_form& form, void* out, std::int64_t k) {
  if (form.output != dtype::f64 || form.n == 0) return false;
  const std::uint64_t upper = std::uint64_t(sum.counts[1]) << 32;
  const std::uint64_t low = std::uint64_t(sum.counts[0]) + upper;
  const std::int64_t high = (sum.counts[1] >> 32) + (low < upper);
  pair_sum pair;  // below 2^96: three exact doubles, whose c is exact too
  pair.s = double(high) * 0x1p64;
  pair.c = two_sum(pair.s, double(std::uint32_t(low >> 32)) * 0x1p32);
  pair.c += two_sum(pair.s, double(std::uint32_t(low)));
  if (form.what == answer_form::kind::mean) {
    if (pair.s != 0) return write_quickly(pair, reciprocal, form, out, k);
    return false;
  }
  write_bits<double>(out, k, detail::to_bits(pair.s + pair.c));
  return true;
}
template <class Sum>
ONEFOLD_DEVICE bool write_quickly(const Sum&, double, const answer_form&, void*, std::int64_t) {
  return false;
}

}  // namespace onefold::cuda
