// SPDX-License-Identifier: Apache-2.0
// Vectors of up to 64 bytes: of lanes, of bytes, and of bytes viewed as words; and exact loads of
// narrow floating types as float vectors. Compiled for each SIMD target.
#if defined(ONEFOLD_CPU_WORDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_WORDS_INL
#undef ONEFOLD_CPU_WORDS_INL
#else
#define ONEFOLD_CPU_WORDS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>

#include "onefold/dtype.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Lane>
using lane_tag = hn::CappedTag<Lane, 64 / sizeof(Lane)>;

using byte_tag = lane_tag<std::uint8_t>;
using byte_vector = hn::Vec<byte_tag>;
inline constexpr std::int64_t byte_lanes = hn::MaxLanes(byte_tag());

// Loads the last bytes of an array into a vector padded with `filler`.
HWY_INLINE byte_vector last_bytes(const std::uint8_t* x, std::int64_t n, int filler) {
  std::uint8_t bytes[byte_lanes];
  std::memset(bytes, filler, sizeof bytes);
  std::memcpy(bytes, x, std::size_t(n));
  return hn::LoadU(byte_tag(), bytes);
}

template <class Word>
HWY_INLINE Word word_at(const std::uint8_t* x) {
  Word word;
  std::memcpy(&word, x, sizeof word);
  return word;
}

// Loads words from any address.
template <class D>
HWY_INLINE hn::Vec<D> load_words(D d, const std::uint8_t* x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, word_at<hn::TFromD<D>>(x));
#else
  return hn::BitCast(d, hn::LoadU(hn::Repartition<std::uint8_t, D>(), x));
#endif
}

template <class D>
std::uint64_t sum_of_words(D d, hn::Vec<D> words) {
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(D())];
  hn::Store(words, d, lanes);
  return std::accumulate(std::begin(lanes), std::end(lanes), std::uint64_t(0));
}

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
