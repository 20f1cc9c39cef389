// SPDX-License-Identifier: Apache-2.0
// The SIMD loops of softmax and log_softmax, compiled for each target: the operations of
// state/softmax_steps.hpp, so the same bits on all of them.
#if defined(ONEFOLD_CPU_SOFTMAX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_SOFTMAX_INL
#undef ONEFOLD_CPU_SOFTMAX_INL
#else
#define ONEFOLD_CPU_SOFTMAX_INL
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "cpu/kernels/fused-inl.hpp"
#include "cpu/kernels/ordered_kernels.hpp"
#include "cpu/kernels/rounded.hpp"
#include "cpu/kernels/words-inl.hpp"
#include "state/softmax_steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using step_tag = lane_tag<float>;
using step_vector = hn::Vec<step_tag>;
using step_words = hn::RebindToUnsigned<step_tag>;

// Elements, up to `left` of them; -Inf past the end.
template <class T>
HWY_INLINE step_vector load_row(const T* x, std::int64_t left) {
  const step_tag d;
  if (left >= std::int64_t(hn::Lanes(d))) return load_floats(d, x);
  using format = detail::float_format<T>;
  constexpr auto nothing = typename format::bits(format::infinity | format::sign_bit);
  T rest[hn::MaxLanes(step_tag())];
  for (std::int64_t i = 0; i < std::int64_t(hn::Lanes(d)); ++i)
    rest[i] = i < left ? x[i] : detail::from_bits<T>(nothing);
  return load_floats(d, rest);
}

// softmax_steps::numerator of each element.
template <class T>
HWY_INLINE step_vector numerators(step_vector x, float largest) {
  using namespace softmax_steps;
  using c = polynomial<T>;
  const step_tag d;
  const step_words words;
  const auto m = hn::Set(d, largest), least = hn::Set(d, least_difference);
  const auto ulp = hn::Set(d, integer_ulp);
  const auto apart = hn::Sub(x, m);
  const auto counts = hn::Gt(apart, least);
  const auto within = hn::IfThenElse(counts, apart, least);
  const auto shifted = fused(d, within, hn::Set(d, steps_of_1), ulp);
  const auto k = hn::Sub(shifted, ulp);
  auto r = fused(d, k, hn::Set(d, -log_of_2), within), p = hn::Set(d, c::c4);
  const auto times_r_plus = [&](float next) HWY_ATTR { p = fused(d, r, p, hn::Set(d, next)); };
  if constexpr (sizeof(T) == 4) {
    const auto near_x = hn::Add(within, m), near_m = hn::Sub(near_x, within);
    r = hn::Add(r, hn::IfThenElseZero(counts, hn::Add(hn::Sub(x, near_x), hn::Sub(near_m, m))));
    r = fused(d, k, hn::Set(d, -rest_of_log_of_2), r);
    p = hn::Set(d, c::c6);
    times_r_plus(c::c5), times_r_plus(c::c4);
  }
  times_r_plus(c::c3), times_r_plus(c::c2), times_r_plus(c::c1), times_r_plus(1);
  return hn::BitCast(
      d, hn::Add(hn::BitCast(words, p), hn::ShiftLeft<23>(hn::BitCast(words, shifted))));
}

// Of a numerator 22 places from 2^4 on, then 22 more: lanes of 32 bits hold sums of 1023 of them.
template <class T>
std::uint64_t sum_of_numerators(const void* data, std::int64_t n, float m) {
  const auto* const x = static_cast<const T*>(data);
  constexpr int half = (softmax_steps::numerator_places + softmax_steps::sum_places) / 2;
  constexpr auto unit = float(1 << (softmax_steps::numerator_places - half));
  const step_tag d;
  const step_words words;
  const hn::RebindToSigned<step_tag> integers;
  const auto lanes = std::int64_t(hn::Lanes(d));
  std::uint64_t sum = 0;
  for (std::int64_t at = 0; at < n;) {
    auto high = hn::Zero(integers), low = high;
    for (const std::int64_t end = std::min(n, at + 1023 * lanes); at < end; at += lanes) {
      const auto e = numerators<T>(load_row(x + at, n - at), m);
      const auto upper = hn::ConvertTo(integers, hn::Mul(e, hn::Set(d, 1 / unit)));
      const auto rest = hn::Sub(e, hn::Mul(hn::ConvertTo(d, upper), hn::Set(d, unit)));
      high = hn::Add(high, upper);
      low = hn::Add(low, hn::ConvertTo(integers, hn::Mul(rest, hn::Set(d, 0x1p18f))));
    }
    sum += (sum_of_words(words, hn::BitCast(words, high)) << half) +
           sum_of_words(words, hn::BitCast(words, low));
  }
  return sum;
}

template <class T, bool Logarithm>
void write_softmax(const void* data, std::int64_t n, float m, float step, void* to) {
  const auto* const x = static_cast<const T*>(data);
  auto* const y = static_cast<T*>(to);
  const step_tag d;
  constexpr std::int64_t block = 512;
  HWY_ALIGN float made[block];
  for (std::int64_t at = 0; at < n; at += block) {
    const std::int64_t count = std::min(block, n - at);
    for (std::int64_t i = 0; i < count; i += std::int64_t(hn::Lanes(d))) {
      const auto elements = load_row(x + at + i, count - i);
      if constexpr (Logarithm)
        hn::Store(hn::Sub(hn::Sub(elements, hn::Set(d, m)), hn::Set(d, step)), d, made + i);
      else
        hn::Store(hn::Mul(numerators<T>(elements, m), hn::Set(d, step)), d, made + i);
    }
    for (std::int64_t i = 0; i < count; ++i) y[at + i] = rounded<T>(made[i]);
  }
}

template <class T>
inline constexpr softmax_kernels softmax_of = {sum_of_numerators<T>, write_softmax<T, false>,
                                               write_softmax<T, true>};

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
