// SPDX-License-Identifier: Apache-2.0
// Batched kernels: exact loads of every element type as the lanes of an accumulator, compiled for
// each SIMD target.
#if defined(ONEFOLD_CPU_BATCHED_LOAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_LOAD_INL
#undef ONEFOLD_CPU_BATCHED_LOAD_INL
#else
#define ONEFOLD_CPU_BATCHED_LOAD_INL
#endif

#include <hwy/highway.h>

#include <cstring>
#include <type_traits>

#include "cpu/kernels/words-inl.hpp"
#include "onefold/detail/float_format.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using f64_tag = hn::CappedTag<double, 8>;
using f32_tag = hn::CappedTag<float, 16>;
using i64_tag = hn::CappedTag<std::int64_t, 8>;
using i32_tag = hn::CappedTag<std::int32_t, 16>;

template <class D>
inline constexpr int lanes_of = int(hn::MaxLanes(D()));

// A bool in memory is a byte, and any nonzero byte is true.
template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class D, class T>
HWY_INLINE hn::Vec<D> load_integers(D d, const T* x) {
  const auto* const from = reinterpret_cast<const stored<T>*>(x);
  using lane = hn::TFromD<D>;
  if constexpr (sizeof(T) == sizeof(lane)) {
    return hn::BitCast(d, hn::LoadU(hn::Rebind<stored<T>, D>(), from));
  } else if constexpr (sizeof(T) == 4) {
    using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const hn::Rebind<wide, D> dw;
    return hn::BitCast(d, hn::PromoteTo(dw, hn::LoadU(hn::Rebind<T, D>(), from)));
  } else if constexpr (sizeof(lane) == 8) {
    return hn::PromoteTo(d, load_integers(hn::Rebind<std::int32_t, D>(), x));
  } else {
    const hn::Rebind<stored<T>, D> dn;
    auto narrow = hn::LoadU(dn, from);
    if constexpr (std::is_same_v<T, bool>) narrow = hn::Min(narrow, hn::Set(dn, std::uint8_t(1)));
    return hn::PromoteTo(d, narrow);
  }
}

template <class D, class T>
HWY_INLINE hn::Vec<D> load(D d, const T* x) {
  if constexpr (std::is_integral_v<T>)
    return load_integers(d, x);
  else if constexpr (std::is_same_v<T, hn::TFromD<D>>)
    return hn::LoadU(d, x);
  else if constexpr (std::is_same_v<hn::TFromD<D>, float>)
    return load_floats(d, x);
  else
    return hn::PromoteTo(d, load_floats(hn::Rebind<float, D>(), x));
}

// Zero of either sign; integers have one zero.
template <class D>
HWY_INLINE hn::Vec<D> zero(D d, bool minus) {
  return hn::Set(d, minus ? hn::TFromD<D>(-0.0) : hn::TFromD<D>(0));
}

// Loads 0 < count < lanes elements; the other lanes are zero. Memory between x + count and `end`
// may be read, but does not affect the result.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_some(D d, const T* x, std::int64_t count, const T* end, bool minus) {
  if (HWY_LIKELY(end - x >= lanes_of<D>))
    return hn::IfThenElse(hn::FirstN(d, std::size_t(count)), load(d, x), zero(d, minus));
  alignas(64) T copy[lanes_of<D>] = {};
  std::memcpy(copy, x, std::size_t(count) * sizeof(T));
  // The other elements of the copy are zero; and g++ 12.2 fails on a masked load of bytes here.
  if constexpr (std::is_integral_v<T>) return load(d, copy);
  return hn::IfThenElse(hn::FirstN(d, std::size_t(count)), load(d, copy), zero(d, minus));
}

// Selects one vector from two: the lanes whose index has bit Half clear (Upper: set), those of
// `low` first.
template <int Half, bool Upper, class D>
HWY_INLINE hn::Vec<D> pick(D d, hn::Vec<D> low, hn::Vec<D> high) {
#if HWY_TARGET == HWY_SCALAR  // one lane: nothing to fold
  (void)d, (void)high;
  return low;
#else
  constexpr int lanes = lanes_of<D>;
  if constexpr (2 * Half == lanes) {
    if constexpr (Upper) return hn::ConcatUpperUpper(d, high, low);
    return hn::ConcatLowerLower(d, high, low);
  } else if constexpr (Half == 1) {
    if constexpr (Upper) return hn::ConcatOdd(d, high, low);
    return hn::ConcatEven(d, high, low);
  } else if constexpr (Half == 2 && sizeof(hn::TFromD<D>) == 4) {
    const hn::Repartition<double, D> pairs;
    return hn::BitCast(d, pick<1, Upper>(pairs, hn::BitCast(pairs, low), hn::BitCast(pairs, high)));
  } else {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    const hn::Repartition<double, D> pairs;
    constexpr int order = Upper ? 0xDD : 0x88;
    return hn::BitCast(d, hn::Vec<decltype(pairs)>{_mm512_shuffle_f64x2(
                              hn::BitCast(pairs, low).raw, hn::BitCast(pairs, high).raw, order)});
#else
    static_assert(Half < 0, "128-bit blocks of vectors of more than two");
#endif
  }
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
