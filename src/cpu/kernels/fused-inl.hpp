// SPDX-License-Identifier: Apache-2.0
// a * b + c rounded once, compiled for each SIMD target, with the same bits on all of them.
#if defined(ONEFOLD_CPU_FUSED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_FUSED_INL
#undef ONEFOLD_CPU_FUSED_INL
#else
#define ONEFOLD_CPU_FUSED_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> fused(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(a, b, c);
#else
  // Highway rounds twice here. The C function rounds once on every machine, though slowly on some.
  using number = hn::TFromD<D>;
  HWY_ALIGN number x[hn::MaxLanes(D())], y[hn::MaxLanes(D())], z[hn::MaxLanes(D())];
  hn::Store(a, d, x), hn::Store(b, d, y), hn::Store(c, d, z);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
    if constexpr (sizeof(number) == 4)
      z[k] = __builtin_fmaf(x[k], y[k], z[k]);
    else
      z[k] = __builtin_fma(x[k], y[k], z[k]);
  }
  return hn::Load(d, z);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
