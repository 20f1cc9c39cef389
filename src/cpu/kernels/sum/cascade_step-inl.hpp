// SPDX-License-Identifier: Apache-2.0
// Adds one element to one chain: the arithmetic of the theorems of docs/numerics.md.
//
// The functions are templates over the vector type, so that a test can run them on a toy format
// with every possible input. Add, Sub and or_difference are found by argument-dependent lookup.
#if defined(ONEFOLD_CPU_CASCADE_STEP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_CASCADE_STEP_INL
#undef ONEFOLD_CPU_CASCADE_STEP_INL
#else
#define ONEFOLD_CPU_CASCADE_STEP_INL
#endif

#include <hwy/highway.h>

#include "cpu/kernels/sum/cascade_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using double_tag = hn::CappedTag<double, max_lanes>;
using double_vector = hn::Vec<double_tag>;
using float_tag = hn::CappedTag<float, 2 * max_lanes>;
using float_vector = hn::Vec<float_tag>;

// a | (b ^ c): one instruction on AVX-512, which g++ 12 does not generate itself.
HWY_INLINE double_vector or_difference(double_vector a, double_vector b, double_vector c) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return double_vector{_mm512_castsi512_pd(_mm512_ternarylogic_epi64(
      _mm512_castpd_si512(a.raw), _mm512_castpd_si512(b.raw), _mm512_castpd_si512(c.raw), 0xF6))};
#else
  return hn::Or(a, hn::Xor(b, c));
#endif
}

HWY_INLINE float_vector or_difference(float_vector a, float_vector b, float_vector c) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return float_vector{_mm512_castsi512_ps(_mm512_ternarylogic_epi32(
      _mm512_castps_si512(a.raw), _mm512_castps_si512(b.raw), _mm512_castps_si512(c.raw), 0xF6))};
#else
  return hn::Or(a, hn::Xor(b, c));
#endif
}

// The evidence of a tile's additions: bits that differ from what the proof requires.
template <class Vector>
struct evidence {
  Vector binade;
  Vector residual;
};

template <class Vector, int Levels>
struct chain {
  Vector s[Levels];
};
template <class Vector>
struct chain<Vector, 0> {};

// Which evidence a chain collects.
struct step_checks {
  bool binade;    // of its first level
  bool residual;  // of its last
};

// Every index below is a template argument: g++ keeps an array in registers only if no loop over it
// is left at that point (measured: 28 GB/s against 45 from cache).
template <int Level, step_checks Checks, class Vector, int Levels>
HWY_INLINE void add_to_level(Vector r, chain<Vector, Levels>& to, Vector first,
                             evidence<Vector>& seen) {
  const Vector s = to.s[Level], t = Add(s, r);
  to.s[Level] = t;
  if constexpr (Level == 0 && Checks.binade) seen.binade = or_difference(seen.binade, t, first);
  if constexpr (Level + 1 < Levels)
    add_to_level<Level + 1, Checks>(Sub(r, Sub(t, s)), to, first, seen);
  else if constexpr (Checks.residual)
    seen.residual = or_difference(seen.residual, Sub(t, s), r);
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
