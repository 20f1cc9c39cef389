// SPDX-License-Identifier: Apache-2.0
// The SIMD loops of minima, maxima and their positions, compiled for each target.
//
// Floats are compared as integers: b for b >= 0, else b with all bits but the sign flipped. That is
// IEEE's total order, which also orders NaNs: a block has a NaN iff its least or its largest
// element is one.
#if defined(ONEFOLD_CPU_EXTREMA_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_EXTREMA_INL
#undef ONEFOLD_CPU_EXTREMA_INL
#else
#define ONEFOLD_CPU_EXTREMA_INL
#endif

#include <hwy/highway.h>

#include <limits>
#include <type_traits>

#include "cpu/kernels/operator_kernels.hpp"
#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/words-inl.hpp"
#include "onefold/detail/float_format.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Maps floats to signed integers of their size that have the same order.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V float_place(D d, V bits) {
  const auto negative = hn::BitCast(hn::RebindToUnsigned<D>(), hn::BroadcastSignBit(bits));
  return hn::Xor(bits, hn::BitCast(d, hn::ShiftRight<1>(negative)));
}

// The same for one element; flips the top bit of u64, so that the extrema are signed.
template <class Lane>
std::int64_t float_place_of(Lane bits) {
  return bits >= 0 ? bits : Lane(bits ^ std::numeric_limits<Lane>::max());
}
template <class Lane>
std::int64_t place_of(Lane x) {
  if constexpr (std::is_same_v<Lane, std::uint64_t>)
    return std::int64_t(x ^ std::uint64_t(1) << 63);
  else
    return std::int64_t(x);
}

// Folds the lanes by halves, which the compiler vectorises.
template <class D, class Pick>
hn::TFromD<D> fold_by_halves(D d, hn::Vec<D> x, Pick pick) {
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(D())];
  hn::Store(x, d, lanes);
  for (std::size_t half = hn::MaxLanes(D()) / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) lanes[k] = pick(lanes[k], lanes[k + half]);
  return lanes[0];
}
template <class D>
hn::TFromD<D> least_lane(D d, hn::Vec<D> x) {
  return fold_by_halves(d, x, [](auto a, auto b) { return a < b ? a : b; });
}
template <class D>
hn::TFromD<D> largest_lane(D d, hn::Vec<D> x) {
  return fold_by_halves(d, x, [](auto a, auto b) { return a < b ? b : a; });
}

template <class D>
struct ends {
  hn::Vec<D> least, largest;

  HWY_INLINE explicit ends(hn::Vec<D> x) : least(x), largest(x) {}
  HWY_INLINE void take(hn::Vec<D> x) {
    least = hn::Min(least, x);
    largest = hn::Max(largest, x);
  }
  HWY_INLINE void merge(const ends& other) { take(other.least), take(other.largest); }
  order_range range() const {
    const D d;
    return {place_of(least_lane(d, least)), place_of(largest_lane(d, largest)), 0};
  }
};

// The extrema of floats by three comparisons of their bits (mapping to integer order would take
// three operations more). Below zero a larger magnitude is less. So the least element has the
// largest unsigned bits if any sign bit is set, else the smallest. The largest element has the
// largest signed bits, or, where all sign bits are set, the smallest unsigned bits.
template <class D>
struct float_ends {
  using unsigned_tag = hn::RebindToUnsigned<D>;
  hn::Vec<D> top;
  hn::Vec<unsigned_tag> low, high;

  HWY_INLINE explicit float_ends(hn::Vec<D> x)
      : top(x), low(hn::BitCast(unsigned_tag(), x)), high(low) {}
  HWY_INLINE void take(hn::Vec<D> x) {
    const auto bits = hn::BitCast(unsigned_tag(), x);
    top = hn::Max(top, x);
    low = hn::Min(low, bits);
    high = hn::Max(high, bits);
  }
  HWY_INLINE void merge(const float_ends& other) {
    top = hn::Max(top, other.top);
    low = hn::Min(low, other.low);
    high = hn::Max(high, other.high);
  }
  order_range range() const {
    using lane = hn::TFromD<D>;
    const auto lowest = lane(least_lane(unsigned_tag(), low));
    const auto highest = lane(largest_lane(unsigned_tag(), high));
    const lane largest = largest_lane(D(), top);
    return {float_place_of(highest < 0 ? highest : lowest),
            float_place_of(largest >= 0 ? largest : lowest), 0};
  }
};

// Fewer elements than a vector has lanes: pads the vector with the first of them.
template <class Ends, class D>
order_range few(D d, const hn::TFromD<D>* x, std::int64_t n) {
  HWY_ALIGN hn::TFromD<D> row[hn::MaxLanes(D())];
  for (std::int64_t i = 0; i < std::int64_t(hn::Lanes(d)); ++i) row[i] = x[i < n ? i : 0];
  return Ends(hn::Load(d, row)).range();
}

// Four vectors at a time, then one, then the last one, which overlaps: extrema may see an element
// twice.
template <template <class> class Ends, class Lane>
order_range plain_range(const void* data, std::int64_t n) {
  const lane_tag<Lane> d;
  using seen = Ends<lane_tag<Lane>>;
  const auto* const x = static_cast<const Lane*>(data);
  const auto width = std::int64_t(hn::Lanes(d));
  if (n < width) return few<seen>(d, x, n);
  const auto load = [&](std::int64_t i) HWY_ATTR { return hn::LoadU(d, x + i); };
  seen a(load(0)), b = a, e = a, f = a;
  std::int64_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width) {
    for (std::int64_t k = 0; k < 4 * width; k += 64 / std::int64_t(sizeof(Lane)))
      prefetch_ahead(x + i + k);
    a.take(load(i)), b.take(load(i + width));
    e.take(load(i + 2 * width)), f.take(load(i + 3 * width));
  }
  for (; i + width <= n; i += width) a.take(load(i));
  b.take(load(n - width));
  a.merge(b), a.merge(e), a.merge(f);
  return a.range();
}

// Any nonzero byte is 1.
inline order_range boolean_range(const void* x, std::int64_t n) {
  const order_range bytes = plain_range<ends, std::uint8_t>(x, n);
  return {bytes.least != 0, bytes.largest != 0, 0};
}

// Replaces NaNs by the largest value for the minimum and by the least for the maximum.
template <class T, class Lane>
order_range sifted_range(const void* data, std::int64_t n) {
  using format = detail::float_format<T>;
  using tag = lane_tag<Lane>;
  const tag d;
  const auto* const x = static_cast<const Lane*>(data);
  const auto width = std::int64_t(hn::Lanes(d));
  const auto infinity = hn::Set(d, Lane(format::infinity));
  const auto magnitude = hn::Set(d, Lane(format::sign_bit - 1));
  const auto lowest = hn::Set(d, std::numeric_limits<Lane>::min());
  const auto highest = hn::Set(d, std::numeric_limits<Lane>::max());
  auto least = highest, largest = lowest;
  std::int64_t nans = 0;
  const auto take = [&](hn::Vec<tag> bits) HWY_ATTR {
    const auto nan = hn::Gt(hn::And(bits, magnitude), infinity);
    const auto place = float_place(d, bits);
    nans += std::int64_t(hn::CountTrue(d, nan));
    least = hn::Min(least, hn::IfThenElse(nan, highest, place));
    largest = hn::Max(largest, hn::IfThenElse(nan, lowest, place));
  };
  std::int64_t i = 0;
  for (; i + width <= n; i += width) take(hn::LoadU(d, x + i));
  if (i < n) {
    HWY_ALIGN Lane row[hn::MaxLanes(tag())];
    for (std::int64_t k = 0; k < width; ++k)
      row[k] = i + k < n ? x[i + k] : Lane(format::quiet_nan);
    nans -= width - (n - i);
    take(hn::Load(d, row));
  }
  return {std::int64_t(least_lane(d, least)), std::int64_t(largest_lane(d, largest)), nans};
}

template <class Lane>
std::int64_t find_either(const void* data, std::int64_t n, std::uint64_t a, std::uint64_t b) {
  const lane_tag<Lane> d;
  const auto* const x = static_cast<const Lane*>(data);
  const auto width = std::int64_t(hn::Lanes(d));
  const auto first = hn::Set(d, Lane(a)), second = hn::Set(d, Lane(b));
  std::int64_t i = 0;
  for (; i + width <= n; i += width) {
    const auto bits = hn::LoadU(d, x + i);
    const auto found = hn::Or(hn::Eq(bits, first), hn::Eq(bits, second));
    if (const auto at = hn::FindFirstTrue(d, found); at >= 0) return i + at;
  }
  while (i < n && x[i] != Lane(a) && x[i] != Lane(b)) ++i;
  return i;
}

inline std::int64_t find_nonzero(const void* data, std::int64_t n) {
  const lane_tag<std::uint8_t> d;
  const auto* const x = static_cast<const std::uint8_t*>(data);
  const auto width = std::int64_t(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + width <= n; i += width) {
    const auto zero = hn::Eq(hn::LoadU(d, x + i), hn::Zero(d));
    if (!hn::AllTrue(d, zero)) break;
  }
  while (i < n && x[i] == 0) ++i;
  return i;
}

inline extrema_kernels make_extrema_kernels() {
  return {
      {boolean_range, plain_range<ends, std::int8_t>, plain_range<ends, std::int16_t>,
       plain_range<ends, std::int32_t>, plain_range<ends, std::int64_t>,
       plain_range<ends, std::uint8_t>, plain_range<ends, std::uint16_t>,
       plain_range<ends, std::uint32_t>, plain_range<ends, std::uint64_t>,
       plain_range<float_ends, std::int16_t>, plain_range<float_ends, std::int16_t>,
       plain_range<float_ends, std::int32_t>, plain_range<float_ends, std::int64_t>},
      {sifted_range<f16, std::int16_t>, sifted_range<bf16, std::int16_t>,
       sifted_range<float, std::int32_t>, sifted_range<double, std::int64_t>},
      {find_either<std::uint8_t>, find_either<std::uint16_t>, find_either<std::uint32_t>,
       find_either<std::uint64_t>},
      find_nonzero,
  };
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
