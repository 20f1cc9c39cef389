// SPDX-License-Identifier: Apache-2.0
// Exact loads of narrow floating types as float vectors, compiled for each SIMD target.
#if defined(ONEFOLD_CPU_LOAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_LOAD_INL
#undef ONEFOLD_CPU_LOAD_INL
#else
#define ONEFOLD_CPU_LOAD_INL
#endif

#include <hwy/highway.h>

#include "onefold/dtype.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> load_floats(D d, const float* x) {
  return hn::LoadU(d, x);
}

// A bfloat16 is the upper half of a float.
template <class D>
HWY_INLINE hn::Vec<D> load_floats(D d, const bf16* x) {
  const auto bits =
      hn::LoadU(hn::Rebind<std::uint16_t, D>(), reinterpret_cast<const std::uint16_t*>(x));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<D>(), bits)));
}

// A binary16 whose exponent field is copied into a float is too small by 2^112; a multiplication
// corrects that, also for subnormals. Inf and NaN get the float's largest exponent field.
template <class D>
HWY_INLINE hn::Vec<D> promote_by_integers(D d, const std::uint16_t* x) {
  const hn::RebindToUnsigned<D> du;
  const auto half = hn::PromoteTo(du, hn::LoadU(hn::Rebind<std::uint16_t, D>(), x));
  const auto small = hn::ShiftLeft<13>(hn::And(half, hn::Set(du, 0x7FFFu)));
  const auto finite = hn::BitCast(du, hn::Mul(hn::BitCast(d, small), hn::Set(d, 0x1p112f)));
  const auto field = hn::Set(du, 0x7C00u);
  const auto special = hn::VecFromMask(du, hn::Eq(hn::And(half, field), field));
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000u)));
  const auto infinity = hn::And(special, hn::Set(du, 0x7F800000u));
  return hn::BitCast(d, hn::Or(hn::Or(finite, infinity), sign));
}

template <class D>
HWY_INLINE hn::Vec<D> load_floats(D d, const f16* x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, D> halves;
  return hn::PromoteTo(d, hn::LoadU(halves, reinterpret_cast<const hwy::float16_t*>(x)));
#else
  // Highway 1.0.3 turns Inf and NaN into finite numbers where it converts without hardware.
  return promote_by_integers(d, reinterpret_cast<const std::uint16_t*>(x));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
