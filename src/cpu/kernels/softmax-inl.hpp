// SPDX-License-Identifier: Apache-2.0
// The SIMD loops of softmax and log_softmax, compiled for each target: the operations of
// state/softmax.hpp, so the same bits on all of them.
#if defined(ONEFOLD_CPU_SOFTMAX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_SOFTMAX_INL
#undef ONEFOLD_CPU_SOFTMAX_INL
#else
#define ONEFOLD_CPU_SOFTMAX_INL
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "cpu/kernels/exponentials-inl.hpp"
#include "cpu/kernels/ordered_kernels.hpp"
#include "cpu/kernels/rounded.hpp"
#include "state/softmax.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using softmax_tag = exponential_tag<float>;
using softmax_vector = hn::Vec<softmax_tag>;

// Elements, fewer than a vector has; `filler` past the end.
template <class T>
softmax_vector load_last(const T* x, std::int64_t n, T filler) {
  T rest[hn::MaxLanes(softmax_tag())];
  std::fill(std::copy_n(x, n, rest), std::end(rest), filler);
  return load_floats(softmax_tag(), rest);
}

// Finite elements of other bands make `far` too large, others make the sum NaN.
template <class T, bool Masks>
softmax_sum add_softmax(const T* x, std::int64_t n, float origin, double* e) {
  const softmax_tag d;
  const hn::DFromV<exponential_vector> doubles;
  const auto lanes = std::int64_t(hn::Lanes(d));
  const auto from = hn::Set(d, origin), masked = hn::Set(d, -1.5f * detail::band_width);
  auto far = hn::Zero(d);
  auto lower = hn::Zero(doubles), upper = lower;
  const auto take = [&](softmax_vector element, softmax_vector counts, double* to) HWY_ATTR {
    auto rest = hn::Sub(element, from);
    if constexpr (Masks) {
      counts = hn::And(counts, hn::VecFromMask(d, hn::Not(hn::Lt(rest, masked))));
      rest = hn::And(rest, counts);
    }
    far = hn::Max(hn::Abs(rest), far);
    for_exponentials(rest, counts, [&](std::int64_t at, exponential_vector part) HWY_ATTR {
      hn::StoreU(part, doubles, to + at);
      auto& sum = at == 0 ? lower : upper;
      sum = hn::Add(sum, part);
    });
  };
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) take(load_wide(x + i), all_lanes<float>(), e + i);
  if (i < n) {
    const auto counts = hn::VecFromMask(d, hn::FirstN(d, std::size_t(n - i)));
    take(load_last(x + i, n - i, x[i]), counts, e + i);
  }
  // The lanes of both vectors are added in some order.
  const double sum = hn::GetLane(hn::SumOfLanes(doubles, hn::Add(lower, upper)));
  const bool fine = hn::AllTrue(d, hn::Lt(far, hn::Set(d, detail::band_width / 2)));
  return {sum, n / lanes + 2 + lanes, fine && sum == sum};
}

template <class T>
softmax_sum add_softmax_of(const void* data, std::int64_t n, float origin, bool masks, double* e) {
  const auto* const x = static_cast<const T*>(data);
  return masks ? add_softmax<T, true>(x, n, origin, e) : add_softmax<T, false>(x, n, origin, e);
}

// Floats rounded to elements. Precondition: no NaN.
HWY_INLINE void store_rounded(softmax_vector y, float* to) {
  hn::StoreU(y, softmax_tag(), to);
}
HWY_INLINE void store_rounded(softmax_vector y, bf16* to) {
  const hn::RebindToUnsigned<softmax_tag> words;
  const hn::RebindToSigned<softmax_tag> integers;
  const hn::Rebind<std::uint16_t, softmax_tag> halves;
  const auto bits = hn::BitCast(words, y), last = hn::ShiftRight<16>(bits);
  const auto up = hn::Add(hn::And(last, hn::Set(words, 1)), hn::Set(words, 0x7FFF));
  const auto nearest = hn::BitCast(integers, hn::ShiftRight<16>(hn::Add(bits, up)));
  hn::StoreU(hn::DemoteTo(halves, nearest), halves, reinterpret_cast<std::uint16_t*>(to));
}
HWY_INLINE void store_rounded(softmax_vector y, f16* to) {
  const softmax_tag d;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, softmax_tag> halves;
  hn::StoreU(hn::DemoteTo(halves, y), halves, reinterpret_cast<hwy::float16_t*>(to));
#else
  HWY_ALIGN float made[hn::MaxLanes(softmax_tag())];
  hn::Store(y, d, made);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) to[i] = rounded<f16>(made[i]);
#endif
}

// Writes make(i), floats of the elements from i on, rounded to elements.
template <class T, class Make>
HWY_INLINE void write_rounded(std::int64_t n, T* y, const Make& make) {
  const auto lanes = std::int64_t(hn::Lanes(softmax_tag()));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store_rounded(make(i), y + i);
  if (i == n) return;
  T last[hn::MaxLanes(softmax_tag())];
  store_rounded(make(i), last);
  std::copy_n(last, n - i, y + i);
}

template <class T>
void write_quotients(const double* e, std::int64_t n, double factor, float less, void* y) {
  const hn::DFromV<exponential_vector> doubles;
  const auto by = hn::Set(doubles, factor);
  write_rounded(n, static_cast<T*>(y), [&](std::int64_t i) HWY_ATTR {
    const auto quotients = floats_of([&](auto upper) HWY_ATTR {
      const double* const from = e + i + (upper ? std::int64_t(hn::Lanes(doubles)) : 0);
      return hn::Mul(hn::LoadU(doubles, from), by);
    });
    return hn::Sub(quotients, hn::Set(softmax_tag(), less));
  });
}

// less_logarithm of each lane, as floats.
HWY_INLINE softmax_vector less(softmax_vector x, const detail::split_logarithm<float>& logarithm) {
  const softmax_tag d;
  return hn::Sub(hn::Sub(x, hn::Set(d, logarithm.high)), hn::Set(d, logarithm.low));
}
HWY_INLINE softmax_vector less(softmax_vector x, const detail::split_logarithm<double>& logarithm) {
  const hn::DFromV<exponential_vector> doubles;
  const auto high = hn::Set(doubles, logarithm.high), low = hn::Set(doubles, logarithm.low);
  return floats_of([&](auto upper)
                       HWY_ATTR { return hn::Sub(hn::Sub(doubles_of<upper>(x), high), low); });
}

template <class T>
std::int64_t write_logarithms(const void* data, std::int64_t n,
                              const detail::scaled_pair& logarithm, void* y) {
  using format = detail::float_format<T>;
  constexpr auto lowest = typename format::bits(format::infinity | format::sign_bit);
  const softmax_tag d;
  const auto lanes = std::int64_t(hn::Lanes(d));
  const auto* const x = static_cast<const T*>(data);
  const auto split = detail::split_of<T>(logarithm);
  auto largest = hn::Set(d, -1);
  write_rounded(n, static_cast<T*>(y), [&](std::int64_t i) HWY_ATTR {
    const auto element =
        i + lanes <= n ? load_wide(x + i) : load_last(x + i, n - i, detail::from_bits<T>(lowest));
    const auto made = less(element, split);
    largest = hn::Max(made, largest);
    return made;
  });
  if (hn::AllTrue(d, hn::Lt(largest, hn::Set(d, -0.5f)))) return n;
  std::int64_t i = 0;
  while (i < n && !detail::near_zero(detail::less_logarithm(wide_of(x + i), split))) ++i;
  return i;
}

template <class T>
inline constexpr softmax_kernels softmax_of = {add_softmax_of<T>, write_quotients<T>,
                                               write_logarithms<T>};

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
