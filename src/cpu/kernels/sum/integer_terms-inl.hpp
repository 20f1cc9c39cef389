// SPDX-License-Identifier: Apache-2.0
// The loops of magnitudes, squares, products and moments of integers, compiled for each SIMD
// target. bytes-inl.hpp has those of bytes. Squares of 64 bits are written here with SIMD; the
// compiler vectorises the other loops, except products of 64 bits.
//
// A piece has at most 2^31 elements, so sums of numbers below 2^32 stay below 2^63.
#if defined(ONEFOLD_CPU_INTEGER_TERMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_INTEGER_TERMS_INL
#undef ONEFOLD_CPU_INTEGER_TERMS_INL
#else
#define ONEFOLD_CPU_INTEGER_TERMS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <iterator>
#include <numeric>
#include <type_traits>

#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/sum/integer_sums-inl.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

__extension__ typedef unsigned __int128 uint128;

// Sums of 128-bit products, by halves.
struct wide_half_sums {
  uint128 low = 0;
  int128 high = 0;

  HWY_INLINE void add(uint128 x) {
    low += std::uint64_t(x);
    high += std::uint64_t(x >> 64);
  }
  HWY_INLINE void add(int128 x) {
    low += std::uint64_t(x);
    high += std::int64_t(x >> 64);
  }
  integer_words words() const {
    const int128 above = high + std::int64_t(low >> 64);
    return {std::uint64_t(low), std::uint64_t(above), std::int64_t(above >> 64)};
  }
};

template <class T>
using product_sums =
    std::conditional_t<sizeof(typename integer_element<T>::stored) <= 2, plain_sums,
                       std::conditional_t<sizeof(typename integer_element<T>::stored) == 4,
                                          half_sums, wide_half_sums>>;

template <class T>
HWY_INLINE auto product_of(typename integer_element<T>::value_type x,
                           typename integer_element<T>::value_type y) {
  if constexpr (sizeof(typename integer_element<T>::stored) < 8)
    return x * y;
  else if constexpr (std::is_signed_v<T>)
    return int128(x) * y;
  else
    return uint128(x) * y;
}

// The bytes that are prefetched at once, and summed in 32 bits where elements are narrow: 2^10 *
// 255^2 < 2^31.
inline constexpr std::int64_t run_bytes = 1024;

template <class T>
HWY_INLINE void prefetch_run(const T* x, std::int64_t items) {
  for (std::int64_t at = 0; at < items; at += 64 / std::int64_t(sizeof(T))) prefetch_ahead(x + at);
}

// Sums term(i) over the elements x[i], and y[i] where that is another array: in Partial within a
// run, then in Sums.
template <class Partial, class Sums, class T, class Term>
HWY_INLINE void add_terms(const T* x, const T* y, std::int64_t n, Sums& to, Term&& term) {
  constexpr std::int64_t items = run_bytes / std::int64_t(sizeof(T));
  for (std::int64_t first = 0; first < n; first += items) {
    const std::int64_t end = first + items < n ? first + items : n;
    prefetch_run(x + first, end - first);
    if (y != x) prefetch_run(y + first, end - first);
    if constexpr (std::is_same_v<Partial, Sums>) {
      for (std::int64_t i = first; i < end; ++i) to.add(term(i));
    } else {
      Partial partial = 0;
      for (std::int64_t i = first; i < end; ++i) partial += Partial(term(i));
      to.add(std::int64_t(partial));
    }
  }
}

template <class T>
using run_sum = std::conditional_t<stored_bytes<T> <= 2, std::int32_t, element_sums<T>>;
template <class T>
using run_product_sum = std::conditional_t<stored_bytes<T> == 1, std::int32_t, product_sums<T>>;

template <class T>
std::int64_t sum_of_byte_products(const std::uint8_t* x, const std::uint8_t* y, std::int64_t n) {
  if constexpr (std::is_same_v<T, bool>)
    return std::int64_t(count_true_pairs(x, y, n));
  else
    return sum_byte_products(reinterpret_cast<const T*>(x), reinterpret_cast<const T*>(y), n);
}

#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
// Sums of products below 2^64 in the lanes of a vector, by halves.
struct lane_half_sums {
  using tag = hn::CappedTag<std::uint64_t, 8>;
  hn::Vec<tag> low, high;

  static HWY_INLINE lane_half_sums start() { return {hn::Zero(tag()), hn::Zero(tag())}; }
  // Precondition: a and b hold numbers below 2^32, or numbers of which the lower halves are
  // multiplied.
  HWY_INLINE void add_product(hn::Vec<tag> a, hn::Vec<tag> b) {
    const hn::Repartition<std::uint32_t, tag> dh;
    const auto x = hn::MulEven(hn::BitCast(dh, a), hn::BitCast(dh, b));
    low = hn::Add(low, hn::And(x, hn::Set(tag(), std::uint64_t(0xFFFFFFFF))));
    high = hn::Add(high, hn::ShiftRight<32>(x));
  }
  static HWY_INLINE uint128 sum_of(hn::Vec<tag> v) {
    alignas(64) std::uint64_t lanes[hn::MaxLanes(tag())];
    hn::Store(v, tag(), lanes);
    return std::accumulate(std::begin(lanes), std::end(lanes), uint128(0));
  }
  HWY_INLINE uint128 sum() const { return sum_of(low) + (sum_of(high) << 32); }
};

// |x| = h 2^32 + l, and x^2 = h^2 2^64 + 2 h l 2^32 + l^2: vectors take half the time of the
// 128-bit multiplier. Returns how many elements were added.
template <class T>
std::int64_t add_squares_of_lanes(const T* x, std::int64_t n, wide_half_sums& to) {
  using tag = lane_half_sums::tag;
  const tag d;
  constexpr auto lanes = std::int64_t(hn::MaxLanes(d));
  auto both_low = lane_half_sums::start(), mixed = both_low, both_high = both_low;
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    prefetch_ahead(x + i);
    auto v = hn::BitCast(d, hn::LoadU(hn::Rebind<T, tag>(), x + i));
    if constexpr (std::is_signed_v<T>) {
      const auto sign = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(hn::Rebind<T, tag>(), v)));
      v = hn::Sub(hn::Xor(v, sign), sign);
    }
    const auto h = hn::ShiftRight<32>(v);
    both_low.add_product(v, v), mixed.add_product(v, h), both_high.add_product(h, h);
  }
  const uint128 twice = mixed.sum();  // below 2^95, with the weight 2^33
  to.low += both_low.sum() + ((twice & 0x7FFFFFFF) << 33);
  to.high += int128(both_high.sum() + (twice >> 31));
  return i;
}
#else
template <class T>
std::int64_t add_squares_of_lanes(const T*, std::int64_t, wide_half_sums&) {
  return 0;
}
#endif

template <class T>
void add_products(const void* first, const void* second, std::int64_t n, product_sums<T>& to) {
  using element = integer_element<T>;
  const auto* const x = static_cast<const typename element::stored*>(first);
  const auto* const y = static_cast<const typename element::stored*>(second);
  std::int64_t done = 0;
  if constexpr (stored_bytes<T> == 8)
    if (first == second) done = add_squares_of_lanes<T>(x, n, to);
  if constexpr (by_bytes<T>)
    to.add(sum_of_byte_products<T>(static_cast<const std::uint8_t*>(first),
                                   static_cast<const std::uint8_t*>(second), n));
  else
    add_terms<run_product_sum<T>>(x + done, y + done, n - done, to, [x, y, done](std::int64_t i) {
      return product_of<T>(element::value(x[done + i]), element::value(y[done + i]));
    });
}

template <class T>
void integer_magnitudes(const void* data, const void*, std::int64_t n, integer_totals& to) {
  using element = integer_element<T>;
  const auto* const x = static_cast<const typename element::stored*>(data);
  element_sums<T> sum;
  if constexpr (!std::is_signed_v<T>)
    add_elements<T>(data, n, sum);
  else if constexpr (by_bytes<T>)
    sum.add(sum_bytes<byte_magnitudes>(static_cast<const std::uint8_t*>(data), n));
  else
    add_terms<run_sum<T>>(x, x, n, sum, [x](std::int64_t i) {
      using magnitude = std::make_unsigned_t<typename element::value_type>;
      const auto value = magnitude(element::value(x[i]));
      return x[i] < 0 ? magnitude(0) - value : value;
    });
  to.sum = sum.words();
}

template <class T>
void integer_products(const void* first, const void* second, std::int64_t n, integer_totals& to) {
  product_sums<T> sum;
  add_products<T>(first, second, n, sum);
  to.products = sum.words();
}

template <class T>
void integer_squares(const void* data, const void*, std::int64_t n, integer_totals& to) {
  integer_products<T>(data, data, n, to);
}

// A block at a time, so that the second loop finds it in cache. Only the second loop prefetches,
// which computes more: prefetches in bursts of the first loop would leave memory idle during the
// second.
template <class T>
void integer_moments(const void* data, const void*, std::int64_t n, integer_totals& to) {
  const auto* const x = static_cast<const typename integer_element<T>::stored*>(data);
  element_sums<T> sum;
  product_sums<T> squares;
  constexpr std::int64_t items = 8192 / std::int64_t(stored_bytes<T>);
  for (std::int64_t first = 0; first < n; first += items) {
    const std::int64_t count = n - first < items ? n - first : items;
    add_elements<T, false>(x + first, count, sum);
    add_products<T>(x + first, x + first, count, squares);
  }
  to = {sum.words(), squares.words()};
}

template <class... T>
integer_accumulators make_integer_accumulators(detail::tag<T>...) {
  return {{integer_magnitudes<T>...},
          {integer_squares<T>...},
          {integer_products<T>...},
          {integer_moments<T>...}};
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
