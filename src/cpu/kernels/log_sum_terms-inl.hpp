// SPDX-License-Identifier: Apache-2.0
// The SIMD loop of logsumexp of f16, bf16 and f32, compiled for each target: the exact sum of the
// terms of state/exponential_terms.hpp, which has no order.
#if defined(ONEFOLD_CPU_LOG_SUM_TERMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_LOG_SUM_TERMS_INL
#undef ONEFOLD_CPU_LOG_SUM_TERMS_INL
#else
#define ONEFOLD_CPU_LOG_SUM_TERMS_INL
#endif

#include <hwy/highway.h>

#include "cpu/kernels/fused-inl.hpp"
#include "cpu/kernels/ordered_kernels.hpp"
#include "cpu/kernels/words-inl.hpp"
#include "state/exponential_terms.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The vectors' even lanes are the low halves of their words.
#if HWY_TARGET == HWY_SCALAR || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__

template <class T>
std::uint64_t sum_of_terms(const void* data, std::int64_t n, const exponential::term_scale& scale) {
  const auto* const x = static_cast<const T*>(data);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const float d = hn::GetLane(load_floats(hn::CappedTag<float, 1>(), x + i)) - scale.origin;
    if (d > scale.least) sum += exponential::scaled_term(d, scale, exponential::term_powers);
  }
  return sum;
}

#else

using term_tag = hn::ScalableTag<float>;
using term_vector = hn::Vec<term_tag>;
using term_words = hn::RebindToUnsigned<term_tag>;
using term_sums = hn::Repartition<std::uint64_t, term_tag>;

// The powers that the low five bits of `bits` choose.
HWY_INLINE hn::Vec<term_words> powers_of(hn::Vec<term_words> bits) {
  const term_words d;
  const auto* const powers = exponential::term_powers;
  const auto place = hn::And(bits, hn::Set(d, exponential::term_steps - 1));
  constexpr int lanes = int(hn::MaxLanes(term_tag()));
  if constexpr (lanes == 8 || lanes == 16) {
    const auto index = hn::IndicesFromVec(d, hn::And(bits, hn::Set(d, lanes - 1)));
    const auto from = [&](int first) HWY_ATTR {
      return hn::TableLookupLanes(hn::LoadU(d, powers + first), index);
    };
    const auto upper = hn::Gt(place, hn::Set(d, 15));
    if constexpr (lanes == 16) return hn::IfThenElse(upper, from(16), from(0));
    const auto odd = hn::Ne(hn::And(bits, hn::Set(d, 8)), hn::Zero(d));
    return hn::IfThenElse(upper, hn::IfThenElse(odd, from(24), from(16)),
                          hn::IfThenElse(odd, from(8), from(0)));
  } else {
    return hn::GatherIndex(d, powers, hn::BitCast(hn::RebindToSigned<term_words>(), place));
  }
}

// exponential::scaled_term of each element; those of even lanes and those of odd ones are added.
HWY_INLINE void add_terms(term_vector x, const exponential::term_scale& scale,
                          hn::Vec<term_sums> (&sums)[2]) {
  using namespace exponential;
  const term_tag d;
  const term_words words;
  const term_sums wide;
  const auto least = hn::Set(d, scale.least);
  x = hn::Sub(x, hn::Set(d, scale.origin));
  x = hn::IfThenElse(hn::Gt(x, least), x, least);  // NaNs add nothing
  const auto ulp = hn::Set(d, float_integer_ulp);
  const auto shifted = fused(d, x, hn::Set(d, steps_of_log_2), ulp);
  const auto k = hn::Sub(shifted, ulp);
  auto r = fused(d, k, hn::Set(d, -step_high), x);
  r = fused(d, k, hn::Set(d, -step_low), r);
  auto slope = fused(d, r, hn::Set(d, term_third), hn::Set(d, term_second));
  slope = fused(d, r, slope, hn::Set(d, term_first));
  const auto factor = hn::BitCast(words, fused(d, r, slope, hn::Set(d, term_one)));
  const auto bits = hn::BitCast(words, shifted);
  const auto power = powers_of(bits);
  const int top = scale.exponent + term_guard + float_integer_bits / term_steps;
  const auto down =
      hn::BitCast(wide, hn::Sub(hn::Set(words, std::uint32_t(top)), hn::ShiftRight<5>(bits)));
  const auto odd = [&](auto v) HWY_ATTR {
    return hn::BitCast(words, hn::ShiftRight<32>(hn::BitCast(wide, v)));
  };
  const auto low = hn::MulEven(power, factor), high = hn::MulEven(odd(power), odd(factor));
  sums[0] = hn::Add(sums[0], hn::Shr(low, hn::And(down, hn::Set(wide, 0xFFFFFFFF))));
  sums[1] = hn::Add(sums[1], hn::Shr(high, hn::ShiftRight<32>(down)));
}

template <class T>
std::uint64_t sum_of_terms(const void* data, std::int64_t n, const exponential::term_scale& scale) {
  const auto* x = static_cast<const T*>(data);
  const term_tag d;
  const auto lanes = std::int64_t(hn::Lanes(d));
  hn::Vec<term_sums> sums[2] = {hn::Zero(term_sums()), hn::Zero(term_sums())};
  for (; n >= lanes; n -= lanes, x += lanes) add_terms(load_floats(d, x), scale, sums);
  if (n > 0) {
    using format = detail::float_format<T>;
    constexpr auto nothing = typename format::bits(format::infinity | format::sign_bit);
    T rest[hn::MaxLanes(term_tag())];
    for (std::int64_t i = 0; i < lanes; ++i) rest[i] = i < n ? x[i] : detail::from_bits<T>(nothing);
    add_terms(load_floats(d, rest), scale, sums);
  }
  return sum_of_words(term_sums(), hn::Add(sums[0], sums[1]));
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
