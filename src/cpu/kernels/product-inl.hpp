// SPDX-License-Identifier: Apache-2.0
// The SIMD loop of products, compiled for each target.
//
// A lane holds a double-word product (high, low) and multiplies it by significands in [1, 2) with
// their signs; exponents are integers and are added separately. After at most 32 rows, high is
// below 2^33 and is scaled back into [1, 2). See docs/numerics/product.md for the bound.
#if defined(ONEFOLD_CPU_PRODUCT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_PRODUCT_INL
#undef ONEFOLD_CPU_PRODUCT_INL
#else
#define ONEFOLD_CPU_PRODUCT_INL
#endif

#include <hwy/highway.h>

#include "cpu/kernels/fused-inl.hpp"
#include "cpu/kernels/ordered_kernels.hpp"
#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/sum/cascade-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int product_rows = 32;  // of 64 elements: examined together
inline constexpr int exponent_bias = 1023;

using word_tag = hn::RebindToUnsigned<double_tag>;
using word_vector = hn::Vec<word_tag>;

struct alignas(64) product_lanes {
  double high[ordered_lanes];
  double low[ordered_lanes];
  std::int64_t exponent = 0;  // the sum over all lanes
};

template <class D>
struct pair_vector {
  hn::Vec<D> high, low;
};

// high + low == a + b exactly, for |a| >= |b|.
template <class D>
HWY_INLINE pair_vector<D> sum_of(hn::Vec<D> a, hn::Vec<D> b) {
  const auto high = hn::Add(a, b);
  return {high, hn::Sub(b, hn::Sub(high, a))};
}

template <class D>
HWY_INLINE pair_vector<D> times(D d, const pair_vector<D>& x, hn::Vec<D> m) {
  const auto first = hn::Mul(x.high, m);
  const auto error = fused(d, x.high, m, hn::Neg(first));  // first + error == high m
  return sum_of<D>(first, fused(d, x.low, m, error));
}

// As detail::multiply, without its normalisation.
template <class D>
HWY_INLINE pair_vector<D> times(D d, const pair_vector<D>& x, const pair_vector<D>& y) {
  const auto first = hn::Mul(x.high, y.high);
  const auto error = fused(d, x.high, y.high, hn::Neg(first));
  const auto one_low = fused(d, x.high, y.low, hn::Mul(x.low, y.low));
  return sum_of<D>(first, hn::Add(error, fused(d, x.low, y.high, one_low)));
}

// The exponent fields of normal doubles.
HWY_INLINE word_vector fields_of(double_vector x) {
  const word_tag d;
  return hn::And(hn::ShiftRight<52>(hn::BitCast(d, x)), hn::Set(d, std::uint64_t(2047)));
}

// Signs and significands of normal doubles: +-[1, 2).
HWY_INLINE double_vector significands_of(double_vector x) {
  const word_tag d;
  const auto kept = hn::Set(d, ~detail::float_format<double>::infinity);
  const auto one = hn::Set(d, detail::to_bits(1.0));
  return hn::BitCast(double_tag(), hn::Or(hn::And(hn::BitCast(d, x), kept), one));
}

inline std::int64_t sum_of_lanes(word_vector x) {
  HWY_ALIGN std::uint64_t lanes[hn::MaxLanes(word_tag())];
  hn::Store(x, word_tag(), lanes);
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < hn::Lanes(word_tag()); ++k) sum += lanes[k];
  return std::int64_t(sum);
}

// Multiplies four neighbouring vectors of lanes through all rows: eight registers, and latencies
// overlap.
template <class T>
HWY_INLINE void multiply_group(const T* x, int rows, double* high, double* low,
                               word_vector& exponents) {
  using pair = pair_vector<double_tag>;
  const double_tag d;
  const auto width = std::int64_t(hn::Lanes(d));
  const auto load = [&](std::int64_t k) HWY_ATTR {
    return pair{hn::Load(d, high + k * width), hn::Load(d, low + k * width)};
  };
  const auto step = [&](pair& to, const T* from) HWY_ATTR {
    const auto element = load_doubles(from);
    exponents = hn::Add(exponents, fields_of(element));
    to = times(d, to, significands_of(element));
  };
  pair a = load(0), b = load(1), e = load(2), f = load(3);
  for (int row = 0; row < rows; ++row, x += ordered_lanes) {
    step(a, x), step(b, x + width);
    step(e, x + 2 * width), step(f, x + 3 * width);
  }
  const auto store = [&](const pair& from, std::int64_t k) HWY_ATTR {
    // Scales back into [1, 2): divides both parts exactly by 2^k, k = field - bias.
    const word_tag words;
    const auto fields = fields_of(from.high);
    exponents = hn::Add(exponents, fields);
    const auto inverse =
        hn::ShiftLeft<52>(hn::Sub(hn::Set(words, std::uint64_t(2 * exponent_bias)), fields));
    hn::Store(significands_of(from.high), d, high + k * width);
    hn::Store(hn::Mul(from.low, hn::BitCast(d, inverse)), d, low + k * width);
  };
  store(a, 0), store(b, 1), store(e, 2), store(f, 3);
}

// Multiplies whole rows of elements that are normal doubles.
template <class T>
void multiply_rows(const T* x, int rows, product_lanes& lanes) {
  const auto group = std::int64_t(4 * hn::Lanes(double_tag()));
  auto exponents = hn::Zero(word_tag());
  for (std::int64_t k = 0; k < ordered_lanes; k += group)
    multiply_group(x + k, rows, lanes.high + k, lanes.low + k, exponents);
  lanes.exponent += sum_of_lanes(exponents);
  lanes.exponent -= std::int64_t(exponent_bias) * ordered_lanes * (rows + 1);
}

// Whether n elements, a multiple of 64, are finite and, as doubles, normal.
template <class T>
bool all_normal(const T* x, std::int64_t n) {
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  const hn::CappedTag<bits, 64 / sizeof(T)> d;
  // Subnormals of a narrower type are normal doubles.
  constexpr bits least = std::is_same_v<T, double> ? bits(format::hidden_bit) : bits(1);
  const auto magnitude = hn::Set(d, bits(~format::sign_bit)), lowest = hn::Set(d, least);
  auto largest = hn::Zero(d);
  for (std::int64_t i = 0; i < n; i += std::int64_t(hn::Lanes(d))) {
    prefetch_ahead(x + i);
    const auto b = hn::And(hn::LoadU(d, reinterpret_cast<const bits*>(x + i)), magnitude);
    largest = hn::Max(largest, hn::Sub(b, lowest));  // zero wraps around to the top
  }
  HWY_ALIGN bits lanes[hn::MaxLanes(hn::CappedTag<bits, 64 / sizeof(T)>())];
  hn::Store(largest, d, lanes);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k)
    if (lanes[k] >= bits(format::infinity - least)) return false;
  return true;
}

// Counts the elements of one block that are not normal doubles. The counters are vectors: g++ 12
// spills an 8-bit mask as one byte and reads back eight where CountTrue widens it.
struct special_notes {
  word_vector nans, subnormals, zeros, infinities;
};

HWY_INLINE void count(word_vector& to, hn::Mask<word_tag> which) {
  to = hn::Sub(to, hn::VecFromMask(word_tag(), which));
}

// Replaces such an element by its factor: its sign, for a subnormal also its significand, for a NaN
// 1.
HWY_INLINE double_vector note_special(double_vector x, special_notes& notes) {
  using format = detail::float_format<double>;
  const double_tag d;
  const hn::RebindToSigned<double_tag> words;
  const word_tag counters;
  const auto magnitude = hn::BitCast(words, hn::Abs(x));
  const auto infinity = hn::Set(words, std::int64_t(format::infinity));
  const auto zero = hn::Eq(magnitude, hn::Zero(words)), infinite = hn::Eq(magnitude, infinity);
  const auto nan = hn::Gt(magnitude, infinity);
  const auto least_normal = hn::Set(words, std::int64_t(format::hidden_bit));
  const auto subnormal = hn::AndNot(zero, hn::Lt(magnitude, least_normal));
  count(notes.nans, hn::RebindMask(counters, nan));
  count(notes.subnormals, hn::RebindMask(counters, subnormal));
  count(notes.zeros, hn::RebindMask(counters, zero));
  count(notes.infinities, hn::RebindMask(counters, infinite));
  const auto one = hn::Set(d, 1.0);
  x = hn::IfThenElse(hn::RebindMask(d, subnormal), hn::Mul(x, hn::Set(d, 0x1p64)), x);
  x = hn::IfThenElse(hn::RebindMask(d, hn::Or(zero, infinite)), hn::CopySign(one, x), x);
  return hn::IfThenElse(hn::RebindMask(d, nan), one, x);
}

template <class T>
void multiply_special_rows(const T* x, int rows, product_lanes& lanes, product_parts& parts) {
  const double_tag d;
  HWY_ALIGN double buffer[product_rows * ordered_lanes];
  const std::int64_t n = std::int64_t(rows) * ordered_lanes;
  const auto none = hn::Zero(word_tag());
  special_notes notes{none, none, none, none};
  for (std::int64_t i = 0; i < n; i += std::int64_t(hn::Lanes(d)))
    hn::Store(note_special(load_doubles(x + i), notes), d, buffer + i);
  parts.nans += sum_of_lanes(notes.nans);
  parts.zero |= sum_of_lanes(notes.zeros) > 0;
  parts.infinite |= sum_of_lanes(notes.infinities) > 0;
  lanes.exponent -= 64 * sum_of_lanes(notes.subnormals);
  multiply_rows(buffer, rows, lanes);
}

// Multiplies lane k by lane k + half, for half = 32, 16 … 1.
inline detail::scaled_pair fold_lanes(product_lanes& lanes) {
  const auto fold = [&](auto d, int half) HWY_ATTR {
    for (int k = 0; k < half; k += int(hn::Lanes(d))) {
      const auto load = [&](int at) HWY_ATTR {
        return pair_vector<decltype(d)>{hn::LoadU(d, lanes.high + at),
                                        hn::LoadU(d, lanes.low + at)};
      };
      const auto both = times(d, load(k), load(k + half));
      hn::StoreU(both.high, d, lanes.high + k), hn::StoreU(both.low, d, lanes.low + k);
    }
  };
  for (int half = ordered_lanes / 2; half > 0; half /= 2)
    if (half >= int(hn::Lanes(double_tag())))  // NOLINT(bugprone-branch-clone): other tags
      fold(double_tag(), half);
    else
      fold(hn::CappedTag<double, 1>(), half);
  return {lanes.high[0], lanes.low[0], lanes.exponent};  // |high| < 2^64
}

template <class T>
product_parts product_of(const void* data, std::int64_t n) {
  const auto* x = static_cast<const T*>(data);
  product_lanes lanes;
  for (int k = 0; k < ordered_lanes; ++k) lanes.high[k] = 1, lanes.low[k] = 0;
  product_parts parts;
  const auto take = [&](const T* from, int rows) {
    if (all_normal(from, std::int64_t(rows) * ordered_lanes))
      multiply_rows(from, rows, lanes);
    else
      multiply_special_rows(from, rows, lanes, parts);
  };
  constexpr std::int64_t block = product_rows * ordered_lanes;
  for (; n >= block; n -= block, x += block) take(x, product_rows);
  if (n >= ordered_lanes) take(x, int(n / ordered_lanes));
  x += n / ordered_lanes * ordered_lanes, n %= ordered_lanes;
  if (n > 0) {
    using format = detail::float_format<T>;
    constexpr auto one = std::uint64_t(format::max_exponent) << format::fraction_bits;
    T row[ordered_lanes];
    for (int k = 0; k < ordered_lanes; ++k)
      row[k] = k < n ? x[k] : detail::from_bits<T>(typename format::bits(one));
    take(row, 1);
  }
  parts.pair = fold_lanes(lanes);
  return parts;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
