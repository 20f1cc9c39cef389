// SPDX-License-Identifier: Apache-2.0
// Batched kernels: the accumulators of a lane, compiled for each SIMD target: intervals,
// double-word sums, plain sums and integer sums. docs/numerics/intervals.md has the theorems.
#if defined(ONEFOLD_CPU_BATCHED_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_SUMS_INL
#undef ONEFOLD_CPU_BATCHED_SUMS_INL
#else
#define ONEFOLD_CPU_BATCHED_SUMS_INL
#endif

#include <cmath>
#include <limits>

#include "cpu/kernels/batched/batched_load-inl.hpp"
#include "runtime/float_environment.hpp"
#include "state/accumulator.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Functions that zip() and write() apply to each part of a sum.
template <int Half, bool Upper>
struct pick_lanes {
  template <class V>
  HWY_INLINE V operator()(V low, V high) const {
    return pick<Half, Upper>(hn::DFromV<V>(), low, high);
  }
};
template <class Lane>
struct store_part {
  Lane* to;
  std::int64_t apart;
  template <class V>
  HWY_INLINE void operator()(int part, V v) const {
    hn::StoreU(v, hn::DFromV<V>(), to + part * apart);
  }
};

// The interval u >= S >= -minus_d. Two additions for each element, both rounded up; tests use
// another mode.
template <rounding Mode>
struct interval_sum_of {
  using tag = f64_tag;
  using vector = hn::Vec<tag>;
  static constexpr int parts = 2;
  static constexpr rounding mode = Mode;
  static constexpr bool grouped = false;
  vector u, minus_d;

  static HWY_INLINE interval_sum_of start() { return {zero(tag(), true), zero(tag(), false)}; }
  static HWY_INLINE interval_sum_of from(vector x) { return {x, hn::Neg(x)}; }
  static HWY_INLINE interval_sum_of nothing() { return {zero(tag(), false), zero(tag(), false)}; }
  HWY_INLINE void add(vector x) {
    u = hn::Add(u, x);
    minus_d = hn::Sub(minus_d, x);
  }
  HWY_INLINE void join(const interval_sum_of& other) {
    u = hn::Add(u, other.u);
    minus_d = hn::Add(minus_d, other.minus_d);
  }
  template <class F>
  static HWY_INLINE interval_sum_of zip(const interval_sum_of& a, const interval_sum_of& b, F f) {
    return {f(a.u, b.u), f(a.minus_d, b.minus_d)};
  }
  static HWY_INLINE interval_sum_of read(const double* from, std::int64_t apart) {
    return {hn::LoadU(tag(), from), hn::LoadU(tag(), from + apart)};
  }
  HWY_INLINE void write(store_part<double> f) const { f(0, u), f(1, minus_d); }
};

using interval_sum = interval_sum_of<rounding::up>;

// The double-word sum S = s + c + rest, |rest| <= r (1 + 2^-18). Rounding mode: to nearest.
struct pair_sum {
  using tag = f64_tag;
  using vector = hn::Vec<tag>;
  static constexpr int parts = 3;
  static constexpr rounding mode = rounding::nearest;
  static constexpr bool grouped = false;
  vector s, c, r;

  static HWY_INLINE pair_sum start() {
    return {zero(tag(), true), zero(tag(), false), zero(tag(), false)};
  }
  static HWY_INLINE pair_sum from(vector x) { return {x, zero(tag(), false), zero(tag(), false)}; }
  static HWY_INLINE pair_sum nothing() {
    return {zero(tag(), false), zero(tag(), false), zero(tag(), false)};
  }
  // s becomes fl(s + x); returns the exact error. Source: Knuth's TwoSum.
  static HWY_INLINE vector two_sum(vector& s, vector x) {
    const vector t = hn::Add(s, x), z = hn::Sub(t, s);
    const vector error = hn::Add(hn::Sub(s, hn::Sub(t, z)), hn::Sub(x, z));
    s = t;
    return error;
  }
  HWY_INLINE void add_low(vector e) { r = hn::Add(r, hn::Abs(two_sum(c, e))); }
  HWY_INLINE void add(vector x) { add_low(two_sum(s, x)); }
  HWY_INLINE void add_product(vector x, vector y) {
    const tag d;
    const vector p = hn::Mul(x, y);
    add(p);
#if HWY_TARGET == HWY_SCALAR
    add_low(hn::Set(d, std::fma(hn::GetLane(x), hn::GetLane(y), -hn::GetLane(p))));
#else
    add_low(hn::MulSub(x, y, p));
#endif
    // Below this, the error of the product may not be a double.
    const auto risky = hn::And(hn::Lt(hn::Abs(p), hn::Set(d, 0x1p-960)),
                               hn::And(hn::Ne(x, hn::Zero(d)), hn::Ne(y, hn::Zero(d))));
    r = hn::IfThenElse(risky, hn::Set(d, std::numeric_limits<double>::quiet_NaN()), r);
  }
  HWY_INLINE void join(const pair_sum& other) {
    const vector e = two_sum(s, other.s);
    r = hn::Add(r, other.r);
    add_low(other.c);
    add_low(e);
  }
  template <class F>
  static HWY_INLINE pair_sum zip(const pair_sum& a, const pair_sum& b, F f) {
    return {f(a.s, b.s), f(a.c, b.c), f(a.r, b.r)};
  }
  static HWY_INLINE pair_sum read(const double* from, std::int64_t apart) {
    return {hn::LoadU(tag(), from), hn::LoadU(tag(), from + apart),
            hn::LoadU(tag(), from + 2 * apart)};
  }
  HWY_INLINE void write(store_part<double> f) const {
    f(0, s), f(1, c), f(2, r);
  }
};

// One plain sum for each lane: fast sums, and integers that fit.
template <class Tag>
struct plain_sum {
  using tag = Tag;
  using vector = hn::Vec<tag>;
  static constexpr int parts = 1;
  static constexpr rounding mode = rounding::nearest;
  static constexpr bool grouped = true;
  vector s;

  static HWY_INLINE plain_sum start() { return {zero(tag(), true)}; }
  static HWY_INLINE plain_sum from(vector x) { return {x}; }
  static HWY_INLINE plain_sum nothing() { return {zero(tag(), false)}; }
  HWY_INLINE void add(vector x) { s = hn::Add(s, x); }
  HWY_INLINE void join(const plain_sum& other) { s = hn::Add(s, other.s); }
  template <class F>
  static HWY_INLINE plain_sum zip(const plain_sum& a, const plain_sum& b, F f) {
    return {f(a.s, b.s)};
  }
  static HWY_INLINE plain_sum read(const hn::TFromD<tag>* from, std::int64_t) {
    return {hn::LoadU(tag(), from)};
  }
  HWY_INLINE void write(store_part<hn::TFromD<tag>> f) const { f(0, s); }
};

// Sum = low + high * 2^32; holds 2^31 elements of 64 bits.
template <bool Signed>
struct halves_sum {
  using tag = i64_tag;
  using vector = hn::Vec<tag>;
  static constexpr int parts = 2;
  static constexpr rounding mode = rounding::nearest;
  static constexpr bool grouped = false;
  vector low, high;

  static HWY_INLINE halves_sum start() { return {zero(tag(), false), zero(tag(), false)}; }
  static HWY_INLINE halves_sum nothing() { return start(); }
  static HWY_INLINE halves_sum from(vector x) {
    halves_sum sum = start();
    sum.add(x);
    return sum;
  }
  HWY_INLINE void add(vector x) {
    const hn::RebindToUnsigned<tag> du;
    low = hn::Add(low, hn::And(x, hn::Set(tag(), std::int64_t(0xFFFFFFFF))));
    if constexpr (Signed)
      high = hn::Add(high, hn::ShiftRight<32>(x));
    else
      high = hn::Add(high, hn::BitCast(tag(), hn::ShiftRight<32>(hn::BitCast(du, x))));
  }
  HWY_INLINE void join(const halves_sum& other) {
    low = hn::Add(low, other.low);
    high = hn::Add(high, other.high);
  }
  template <class F>
  static HWY_INLINE halves_sum zip(const halves_sum& a, const halves_sum& b, F f) {
    return {f(a.low, b.low), f(a.high, b.high)};
  }
  static HWY_INLINE halves_sum read(const std::int64_t* from, std::int64_t apart) {
    return {hn::LoadU(tag(), from), hn::LoadU(tag(), from + apart)};
  }
  HWY_INLINE void write(store_part<std::int64_t> f) const { f(0, low), f(1, high); }
};

// The product of lanes that hold 32-bit integers.
template <bool Signed>
HWY_INLINE hn::Vec<i64_tag> multiply(hn::Vec<i64_tag> x, hn::Vec<i64_tag> y) {
  const i64_tag d;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, std::int64_t(std::uint64_t(hn::GetLane(x)) * std::uint64_t(hn::GetLane(y))));
#else
  using half = std::conditional_t<Signed, std::int32_t, std::uint32_t>;
  const hn::Repartition<half, i64_tag> dh;
  return hn::BitCast(d, hn::MulEven(hn::BitCast(dh, x), hn::BitCast(dh, y)));
#endif
}

// The terms of two vectors of elements of type T.
template <accumulator Of, class T, class V>
HWY_INLINE V terms(V x, V y) {
  constexpr bool product = Of == accumulator::squares || Of == accumulator::products;
  if constexpr (product && std::is_integral_v<T>)
    return multiply<std::is_signed_v<T>>(x, y);
  else if constexpr (product)
    return hn::Mul(x, y);
  else if constexpr (Of == accumulator::magnitudes && !std::is_unsigned_v<T>)
    return hn::Abs(x);
  else
    return x;
}

// Whether products of f64 are added together with their errors.
template <accumulator Of, class T, class Sum>
inline constexpr bool two_part_terms = (Of == accumulator::squares ||
                                        Of == accumulator::products) &&
                                       std::is_same_v<Sum, pair_sum>&& std::is_same_v<T, double>;

template <accumulator Of, class T, class Sum>
HWY_INLINE void add_terms(Sum& to, typename Sum::vector x, typename Sum::vector y) {
  if constexpr (Of == accumulator::squares) y = x;
  if constexpr (two_part_terms<Of, T, Sum>)
    to.add_product(x, y);
  else
    to.add(terms<Of, T>(x, y));
}
template <accumulator Of, class T, class Sum>
HWY_INLINE Sum first_terms(typename Sum::vector x) {
  if constexpr (two_part_terms<Of, T, Sum>) {
    Sum sum = Sum::start();
    sum.add_product(x, x);
    return sum;
  } else {
    return Sum::from(terms<Of, T>(x, x));
  }
}

// Prefetches the lines 8 and 4 KiB after the next `bytes`: prefetch.hpp has the figures.
HWY_INLINE void prefetch_behind(const void* x, std::int64_t bytes) {
  const char* const at = static_cast<const char*>(x);
  for (std::int64_t line = 0; line < bytes; line += 64) {
    __builtin_prefetch(at + line + 8192, 0, 2);
    __builtin_prefetch(at + line + 4096, 0, 3);
  }
}

// The padding is the identity of the sum: -0, in a product -0 times +0.
template <accumulator Of, class Sum, class T>
HWY_INLINE void add_vector(Sum& to, const T* x, const T* y) {
  const typename Sum::tag d;
  const auto v = load(d, x);
  add_terms<Of, T>(to, v, Of == accumulator::products ? load(d, y) : v);
}
template <accumulator Of, class Sum, class T>
HWY_INLINE void add_some(Sum& to, const T* x, const T* y, std::int64_t count, const T* x_end,
                         const T* y_end) {
  const typename Sum::tag d;
  const auto v = load_some(d, x, count, x_end, true);
  add_terms<Of, T>(to, v, Of == accumulator::products ? load_some(d, y, count, y_end, false) : v);
}

// The number of 8- or 16-bit elements whose sum fits in a 32-bit lane.
template <class T>
inline constexpr std::int64_t narrow_capacity = std::int64_t(1) << (31 - 8 * sizeof(T));

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
