// SPDX-License-Identifier: Apache-2.0
// Elements, their magnitudes and their products as vectors of doubles, compiled for each SIMD
// target.
//
// Products of 16- and 32-bit elements have at most 48 bits, so doubles hold them. A product of f64
// is the sum of two doubles: p, rounded, and e, its error, which is a double where nothing
// underflows.
#if defined(ONEFOLD_CPU_TERMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_TERMS_INL
#undef ONEFOLD_CPU_TERMS_INL
#else
#define ONEFOLD_CPU_TERMS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "cpu/kernels/sum/cascade_step-inl.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"
#include "cpu/kernels/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using integer_tag = hn::RebindToSigned<double_tag>;
using integer_vector = hn::Vec<integer_tag>;

// Loads one vector of elements as doubles; every conversion is exact.
HWY_INLINE double_vector load_doubles(const double* x) {
  return hn::LoadU(double_tag(), x);
}

template <class T>
HWY_INLINE double_vector load_doubles(const T* x) {
  return hn::PromoteTo(double_tag(), load_floats(hn::Rebind<float, double_tag>(), x));
}

// a * b - c, rounded once. Highway's one-lane target rounds twice.
HWY_INLINE double_vector multiply_subtract(double_vector a, double_vector b, double_vector c) {
#if HWY_TARGET == HWY_SCALAR
  return double_vector{std::fma(a.raw, b.raw, -c.raw)};
#else
  return hn::MulSub(a, b, c);
#endif
}

// The factors xy a vector of terms; for an accumulator of one factor both are that factor.
struct factors {
  double_vector a, b;
};

template <accumulator Accumulator, class T>
HWY_INLINE factors load_factors(const T* x, const T* y) {
  const double_vector a = load_doubles(x);
  if constexpr (Accumulator == accumulator::products)
    return {a, load_doubles(y)};
  else
    return {a, a};
}

// The term itself, or its rounded part; for moments the element, whose magnitude selects the
// window.
template <accumulator Accumulator>
HWY_INLINE double_vector first_part(factors xy) {
  if constexpr (Accumulator == accumulator::magnitudes) return hn::Abs(xy.a);
  if constexpr (Accumulator == accumulator::squares || Accumulator == accumulator::products)
    return hn::Mul(xy.a, xy.b);
  return xy.a;
}

// The bits of the tile's largest first part in magnitude; Inf and NaN compare larger than any
// number.
template <accumulator Accumulator, class T>
std::uint64_t largest_term(const T* x, const T* y) {
  const integer_tag di;
  integer_vector largest = hn::Zero(di);
  for (int i = 0; i < tile_vectors<Accumulator, T>; ++i) {
    constexpr int lanes = hn::MaxLanes(double_tag());
    const std::ptrdiff_t at = i * lanes;
    const auto factors = load_factors<Accumulator>(x + at, y ? y + at : y);
    const auto bits = hn::BitCast(di, hn::Abs(first_part<Accumulator>(factors)));
    largest = hn::IfThenElse(hn::Gt(bits, largest), bits, largest);
  }
  alignas(64) std::int64_t lanes[max_lanes] = {};
  hn::Store(largest, di, lanes);
  return std::uint64_t(*std::max_element(lanes, lanes + max_lanes));
}

// Whether every product of a tile that is so small that its error may underflow is an exact zero.
// Called only where a small product was seen.
template <accumulator Accumulator>
bool small_products_are_zeros(const double* x, const double* y) {
  const double_tag d;
  const double_vector zero = hn::Zero(d), least = hn::Set(d, least_product);
  bool zeros = true;
  for (int i = 0; i < tile_vectors<Accumulator, double>; ++i) {
    constexpr int lanes = hn::MaxLanes(double_tag());
    const std::ptrdiff_t at = i * lanes;
    const auto [a, b] = load_factors<Accumulator>(x + at, y ? y + at : y);
    const auto small = hn::Lt(hn::Abs(hn::Mul(a, b)), least);
    zeros &= hn::AllFalse(d, hn::And(small, hn::And(hn::Ne(a, zero), hn::Ne(b, zero))));
  }
  return zeros;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
