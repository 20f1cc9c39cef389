// SPDX-License-Identifier: Apache-2.0
// The SIMD loop of logsumexp of f64, compiled for each target: sums of exp(x - shift) in 64 virtual
// lanes.
//
// A lane sums 32 elements before it adds them to its total, so an element passes at most 31 + 32
// additions, and 6 in the fold.
#if defined(ONEFOLD_CPU_LOG_SUM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_LOG_SUM_INL
#undef ONEFOLD_CPU_LOG_SUM_INL
#else
#define ONEFOLD_CPU_LOG_SUM_INL
#endif

#include <hwy/highway.h>

#include <cmath>

#include "cpu/kernels/fused-inl.hpp"
#include "cpu/kernels/ordered_kernels.hpp"
#include "cpu/kernels/sum/cascade-inl.hpp"
#include "state/exponential.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int exponential_rows = 32;  // of 64 elements

// p[Term] + r (p[Term + 1] + r (…)).
template <int Term, int Terms>
HWY_INLINE double_vector horner(const double (&p)[Terms], double_vector r) {
  const double_tag d;
  const auto coefficient = hn::Set(d, p[Term]);
  if constexpr (Term + 1 == Terms)
    return coefficient;
  else
    return fused(d, horner<Term + 1>(p, r), r, coefficient);
}

// exp(x) for x <= 0; returns 0 below -708 and for NaN, neither of which occurs if Near.
template <bool Near>
HWY_INLINE double_vector exponential_of(double_vector x) {
  using namespace exponential;
  const double_tag d;
  const hn::RebindToUnsigned<double_tag> words;
  const auto ulp = hn::Set(d, integer_ulp);
  const auto shifted = fused(d, x, hn::Set(d, inverse_log_of_2), ulp);
  const auto k = hn::Sub(shifted, ulp);
  const auto upper = fused(d, k, hn::Set(d, -log_of_2_high), x);
  const auto p = horner<0>(long_polynomial, fused(d, k, hn::Set(d, -log_of_2_low), upper));
  const auto power = hn::ShiftLeft<52>(hn::BitCast(words, shifted));
  const auto scaled = hn::BitCast(d, hn::Add(hn::BitCast(words, p), power));
  if (Near) return scaled;
  return hn::IfThenElseZero(hn::Ge(x, hn::Set(d, least_argument)), scaled);
}

// Adds four neighbouring vectors of lanes over all rows, then to their totals.
template <bool Near>
HWY_INLINE void add_group(const double* x, int rows, double_vector shift, double* totals) {
  const double_tag d;
  const auto width = std::int64_t(hn::Lanes(d));
  const auto step = [&](double_vector& sum, const double* from) HWY_ATTR {
    sum = hn::Add(sum, exponential_of<Near>(hn::Sub(load_doubles(from), shift)));
  };
  auto a = hn::Zero(d), b = a, e = a, f = a;
  for (int row = 0; row < rows; ++row, x += ordered_lanes) {
    step(a, x), step(b, x + width);
    step(e, x + 2 * width), step(f, x + 3 * width);
  }
  const auto add = [&](std::int64_t k, double_vector sum) HWY_ATTR {
    hn::Store(hn::Add(hn::Load(d, totals + k * width), sum), d, totals + k * width);
  };
  add(0, a), add(1, b), add(2, e), add(3, f);
}

template <bool Near>
HWY_NOINLINE void add_rows(const double* x, int rows, double largest, double* lanes) {
  const auto shift = hn::Set(double_tag(), largest);
  const auto group = std::int64_t(4 * hn::Lanes(double_tag()));
  for (std::int64_t k = 0; k < ordered_lanes; k += group)
    add_group<Near>(x + k, rows, shift, lanes + k);
}

inline double sum_of_exponentials(const void* data, std::int64_t n, double largest, bool near) {
  const auto* x = static_cast<const double*>(data);
  alignas(64) double lanes[ordered_lanes] = {};
  const auto take = [&](const double* from, std::int64_t rows) {
    (near ? add_rows<true> : add_rows<false>)(from, int(rows), largest, lanes);
  };
  constexpr std::int64_t block = exponential_rows * ordered_lanes;
  for (; n >= block; n -= block, x += block) take(x, exponential_rows);
  if (n >= ordered_lanes) take(x, n / ordered_lanes);
  x += n / ordered_lanes * ordered_lanes, n %= ordered_lanes;
  if (n > 0) {
    double row[ordered_lanes];
    for (int k = 0; k < ordered_lanes; ++k) row[k] = k < n ? x[k] : -HUGE_VAL;
    add_rows<false>(row, 1, largest, lanes);
  }
  for (int half = ordered_lanes / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lanes[k] = lanes[k] + lanes[k + half];
  return lanes[0];
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
