// SPDX-License-Identifier: Apache-2.0
// Loads vectors of elements as numbers of the accumulator's type, compiled for each SIMD target.
#if defined(ONEFOLD_CPU_FAST_LOAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_FAST_LOAD_INL
#undef ONEFOLD_CPU_FAST_LOAD_INL
#else
#define ONEFOLD_CPU_FAST_LOAD_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "cpu/kernels/load-inl.hpp"

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

// A bool in memory: any nonzero byte is true, and reading it as bool would be undefined.
struct boolean_byte {
  unsigned char byte;
  constexpr operator int() const { return byte != 0; }  // NOLINT: a number by nature
};

// Converts integers to doubles; up to 32 bits the conversion is exact.
template <class T>
HWY_INLINE hn::Vec<fast_double_tag> load_narrow(fast_double_tag d, const T* x) {
  const hn::Rebind<std::int32_t, fast_double_tag> words;
  return hn::PromoteTo(d, hn::PromoteTo(words, hn::LoadU(hn::Rebind<T, fast_double_tag>(), x)));
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::int8_t* x) {
  return load_narrow(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::uint8_t* x) {
  return load_narrow(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::int16_t* x) {
  return load_narrow(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::uint16_t* x) {
  return load_narrow(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::int32_t* x) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::int32_t, fast_double_tag>(), x));
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const boolean_byte* x) {
  const auto number = load_row(d, reinterpret_cast<const std::uint8_t*>(x));
  return hn::Min(number, hn::Set(d, 1.0));
}

// The lower bits of 2^52 + x are those of x.
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::uint32_t* x) {
  const hn::RebindToUnsigned<fast_double_tag> bits;
  const auto wide = hn::PromoteTo(bits, hn::LoadU(hn::Rebind<std::uint32_t, fast_double_tag>(), x));
  const auto magic = hn::Set(d, 0x1p52);
  return hn::Sub(hn::BitCast(d, hn::Or(wide, hn::BitCast(bits, magic))), magic);
}

// 64 bits: rounded to nearest.
template <class T>
HWY_INLINE hn::Vec<fast_double_tag> load_wide(fast_double_tag d, const T* x) {
  constexpr int width = int(hn::MaxLanes(fast_double_tag()));
  alignas(64) double converted[width];
  for (int k = 0; k < width; ++k) converted[k] = double(x[k]);
  return hn::Load(d, converted);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::int64_t* x) {
  return load_wide(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::uint64_t* x) {
  return load_wide(d, x);
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
