// SPDX-License-Identifier: Apache-2.0
// The hot loop of the fast sum, once for each SIMD target.
//
// Sixty-four virtual lanes: element i of a chunk goes to lane i mod 64, whatever the width of a
// vector; then the lanes fold by halves. So the bits do not depend on the target. Missing elements
// of the last row count as -0, the identity.
#if defined(ONEFOLD_CPU_FAST_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_FAST_INL
#undef ONEFOLD_CPU_FAST_INL
#else
#define ONEFOLD_CPU_FAST_INL
#endif

#include <hwy/highway.h>

#include "cpu/kernels.hpp"
#include "cpu/load-inl.hpp"
#include "plan/tuning.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int virtual_lanes = 64;

using fast_float_tag = hn::CappedTag<float, 16>;
using fast_double_tag = hn::CappedTag<double, 8>;

HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const double* x) {
  return hn::LoadU(d, x);
}
template <class T>
HWY_INLINE hn::Vec<fast_float_tag> load_row(fast_float_tag d, const T* x) {
  return load_floats(d, x);
}

// The bits of -0 in T.
template <class T>
T negative_zero() {
  return detail::from_bits<T>(detail::float_format<T>::sign_bit);
}

// Whole rows of 64 lanes into the sums; returns how many elements they were. Ahead: prefetch, which
// is worth 5 % from memory and costs 15 % from cache.
template <bool Ahead, class D, class T, int Vectors>
HWY_INLINE std::int64_t add_rows(D d, const T* x, std::int64_t n, hn::Vec<D> (&sums)[Vectors]) {
  constexpr int width = virtual_lanes / Vectors;
  const std::int64_t rows = n / virtual_lanes;
  std::int64_t i = 0;
#pragma GCC unroll 2
  for (std::int64_t row = 0; row < rows; ++row, i += virtual_lanes)
    for (int v = 0; v < Vectors; ++v) {
      if (Ahead && std::size_t(v) * width * sizeof(T) % cache_line_bytes == 0)
        __builtin_prefetch(reinterpret_cast<const char*>(x + i + v * width) + 8192, 0, 2);
      sums[v] = hn::Add(sums[v], load_row(d, x + i + v * width));
    }
  return i;
}

// The sum of the lanes, folded by halves: first whole vectors, then the lanes of the last one.
template <class D, int Vectors>
hn::TFromD<D> fold(D d, hn::Vec<D> (&sums)[Vectors]) {
  constexpr int width = virtual_lanes / Vectors;
  for (int half = Vectors / 2; half > 0; half /= 2)
    for (int v = 0; v < half; ++v) sums[v] = hn::Add(sums[v], sums[v + half]);
  alignas(64) hn::TFromD<D> lanes[width];
  hn::Store(sums[0], d, lanes);
  for (int half = width / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lanes[k] = lanes[k] + lanes[k + half];
  return lanes[0];
}

template <class D, class T>
hn::TFromD<D> fast_chunk(D d, const T* x, std::int64_t n) {
  constexpr int vectors = virtual_lanes / int(hn::MaxLanes(D()));
  hn::Vec<D> sums[vectors];
  for (auto& sum : sums) sum = hn::Set(d, hn::TFromD<D>(-0.0));
  // A chunk that is not whole is the only one, or the last: it may well be in cache.
  const bool in_memory = n == tuning::chunk_items;
  const std::int64_t i = in_memory ? add_rows<true>(d, x, n, sums) : add_rows<false>(d, x, n, sums);
  if (i < n) {
    T row[virtual_lanes];
    for (int k = 0; k < virtual_lanes; ++k) row[k] = i + k < n ? x[i + k] : negative_zero<T>();
    add_rows<false>(d, row, virtual_lanes, sums);
  }
  return fold(d, sums);
}

inline double fast_f64(const double* x, std::int64_t n) {
  return fast_chunk(fast_double_tag(), x, n);
}
template <class T>
float fast_narrow(const T* x, std::int64_t n) {
  return fast_chunk(fast_float_tag(), x, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
