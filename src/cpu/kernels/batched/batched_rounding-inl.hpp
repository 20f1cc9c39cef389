// SPDX-License-Identifier: Apache-2.0
// Batched kernels: the steps from sums to rounded outputs, compiled for each SIMD target. Steps run
// over a batch at a time, each in its own rounding mode. docs/numerics/intervals.md has the
// theorems.
#if defined(ONEFOLD_CPU_BATCHED_ROUNDING_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_ROUNDING_INL
#undef ONEFOLD_CPU_BATCHED_ROUNDING_INL
#else
#define ONEFOLD_CPU_BATCHED_ROUNDING_INL
#endif

#include "cpu/kernels/batched/batched_loop-inl.hpp"
#include "onefold/exact.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sums of a batch of outputs. Segments have a size each; other outputs share one.
struct batch {
  batch_sums& sums;
  int count;
  double size;
  const std::int64_t* offsets;

  HWY_INLINE hn::Vec<f64_tag> sizes(int k) const {
    const f64_tag d;
    if (!offsets) return hn::Set(d, size);
    alignas(64) double values[lanes_of<f64_tag>];
    for (int i = 0; i < lanes_of<f64_tag>; ++i)
      values[i] = k + i < count ? double(offsets[k + i + 1] - offsets[k + i]) : 1.0;
    return hn::Load(d, values);
  }
};

// S / n <= RU(u / n), and -S / n <= RU(minus_d / n). Rounding mode: upward.
HWY_NOINLINE inline void divide_interval(const batch& b) {
  const f64_tag d;
  double *const u = b.sums.part<double>(0), *const minus_d = b.sums.part<double>(1);
  for (int k = 0; k < b.count; k += lanes_of<f64_tag>) {
    const auto n = b.sizes(k);
    hn::StoreU(hn::Div(hn::LoadU(d, u + k), n), d, u + k);
    hn::StoreU(hn::Div(hn::LoadU(d, minus_d + k), n), d, minus_d + k);
  }
}

// A sum of squares is not negative, so a negative lower bound becomes zero.
HWY_INLINE hn::Vec<f64_tag> root_of_lower(hn::Vec<f64_tag> low) {
  const auto none = hn::Zero(f64_tag());
  return hn::IfThenElse(hn::Lt(low, none), none, hn::Sqrt(low));
}

// Upper: the rounding mode is upward; else downward.
template <bool Upper>
HWY_NOINLINE void root_interval(const batch& b) {
  const f64_tag d;
  double *const u = b.sums.part<double>(0), *const minus_d = b.sums.part<double>(1);
  for (int k = 0; k < b.count; k += lanes_of<f64_tag>) {
    if (Upper)
      hn::StoreU(hn::Sqrt(hn::LoadU(d, u + k)), d, u + k);
    else
      hn::StoreU(hn::Neg(root_of_lower(hn::Neg(hn::LoadU(d, minus_d + k)))), d, minus_d + k);
  }
}

// A double-word sum as h + l, exactly, and the bound of the rest. A zero c keeps the sign of a zero
// s.
HWY_INLINE void open_pair(const batch& b, int k, hn::Vec<f64_tag>& h, hn::Vec<f64_tag>& l,
                          hn::Vec<f64_tag>& r) {
  const f64_tag d;
  const auto c = hn::LoadU(d, b.sums.part<double>(1) + k);
  const auto s = hn::LoadU(d, b.sums.part<double>(0) + k);
  h = s;
  l = pair_sum::two_sum(h, c);
  h = hn::IfThenElse(hn::Eq(c, hn::Zero(d)), s, h);
  r = hn::LoadU(d, b.sums.part<double>(2) + k);
}

// (s, c, r) becomes (h, l, r). Rounding mode: to nearest.
HWY_NOINLINE inline void join_pair(const batch& b) {
  const f64_tag d;
  for (int k = 0; k < b.count; k += lanes_of<f64_tag>) {
    hn::Vec<f64_tag> h, l, r;
    open_pair(b, k, h, l, r);
    hn::StoreU(h, d, b.sums.part<double>(0) + k);
    hn::StoreU(l, d, b.sums.part<double>(1) + k);
  }
}

// x + y, but x where y is zero, which keeps the sign of a zero x.
HWY_INLINE hn::Vec<f64_tag> plus(hn::Vec<f64_tag> x, hn::Vec<f64_tag> y) {
  return hn::IfThenElse(hn::Eq(y, hn::Zero(f64_tag())), x, hn::Add(x, y));
}

// (h, l, r) becomes (h, hi, nlo): S - h is in [-nlo, hi]. Whole: becomes an interval of S. Rounding
// mode: upward.
template <bool Whole>
HWY_NOINLINE void bound_pair(const batch& b) {
  const f64_tag d;
  for (int k = 0; k < b.count; k += lanes_of<f64_tag>) {
    const auto h = hn::LoadU(d, b.sums.part<double>(0) + k);
    const auto l = hn::LoadU(d, b.sums.part<double>(1) + k);
    const auto r = hn::Mul(hn::LoadU(d, b.sums.part<double>(2) + k), hn::Set(d, 1 + 0x1p-18));
    const auto hi = plus(l, r), nlo = hn::Sub(r, l);
    if (Whole) {
      // Values that are not finite get the interval [-Inf, Inf].
      const auto spread = hn::Add(hi, nlo);
      const auto known = hn::Eq(hn::Sub(spread, spread), hn::Zero(d));
      const auto all = hn::Set(d, std::numeric_limits<double>::infinity());
      const auto u = hn::IfThenElse(known, plus(h, hi), all);
      const auto minus_d = hn::IfThenElse(known, plus(hn::Neg(h), nlo), all);
      hn::StoreU(u, d, b.sums.part<double>(0) + k);
      hn::StoreU(minus_d, d, b.sums.part<double>(1) + k);
    } else {
      hn::StoreU(hi, d, b.sums.part<double>(1) + k);
      hn::StoreU(nlo, d, b.sums.part<double>(2) + k);
    }
  }
}

// Marks the outputs of the lanes that are set and exist; returns how many.
template <class D, class M>
HWY_INLINE std::int64_t mark(D d, M ambiguous, int existing, unsigned char* marks) {
  if (HWY_LIKELY(hn::AllFalse(d, ambiguous))) return 0;
  alignas(64) hn::TFromD<D> lanes[lanes_of<D>];
  hn::Store(hn::IfThenElseZero(ambiguous, hn::Set(d, hn::TFromD<D>(1))), d, lanes);
  std::int64_t marked = 0;
  for (int i = 0; i < existing && i < lanes_of<D>; ++i)
    if (lanes[i] != 0) marks[i] = 1, ++marked;
  return marked;
}

// Rounds a double to a narrow format, to nearest, through a float rounded to odd: 24 >= P + 2.
template <class Out>
struct narrow_vector {
  using tag = hn::Rebind<float, f64_tag>;
  using bits_tag = hn::RebindToUnsigned<tag>;
  using vector = hn::Vec<bits_tag>;  // the bits of the result, one a lane

  static HWY_INLINE vector canonical(vector bits) {
    using format = detail::float_format<Out>;
    const bits_tag d;
    const auto magnitude = hn::And(bits, hn::Set(d, std::uint32_t(format::sign_bit - 1)));
    const auto nan = hn::Gt(magnitude, hn::Set(d, std::uint32_t(format::infinity)));
    return hn::IfThenElse(nan, hn::Set(d, std::uint32_t(format::quiet_nan)), bits);
  }

  static HWY_INLINE vector from(hn::Vec<f64_tag> x) {
    const bits_tag d;
#if HWY_TARGET == HWY_SCALAR  // Highway's DemoteTo turns infinities into the largest number here
    const auto nearest = hn::Set(tag(), float(hn::GetLane(x)));
#else
    const auto nearest = hn::DemoteTo(tag(), x);
#endif
    if constexpr (std::is_same_v<Out, float>) {
      return canonical(hn::BitCast(d, nearest));
    } else {
      alignas(64) double wide[lanes_of<f64_tag>];
      alignas(64) float close[lanes_of<f64_tag>];
      alignas(64) std::uint32_t out[lanes_of<f64_tag>];
      hn::Store(x, f64_tag(), wide);
      hn::Store(nearest, tag(), close);
      for (int i = 0; i < lanes_of<f64_tag>; ++i) out[i] = narrowed(to_odd(wide[i], close[i]));
      return canonical(hn::Load(d, out));
    }
  }

  static HWY_INLINE std::uint32_t to_odd(double x, float close) {
    const double back = close;
    const auto bits = detail::to_bits(close);
    const bool beyond = std::fabs(back) > std::fabs(x);
    return (bits - (beyond ? 1 : 0)) | (back != x ? 1 : 0);
  }
  // Rounds a float's bits to the narrow format, to nearest even, by integer arithmetic.
  static HWY_INLINE std::uint32_t narrowed(std::uint32_t bits) {
    if constexpr (std::is_same_v<Out, bf16>) {
      if ((bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FFF;
      return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    } else {
      const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
      if (magnitude > 0x7F800000) return 0x7FFF;
      if (magnitude >= 0x477FF000) return sign | 0x7C00;
      const int field = int(magnitude >> 23), shift = field < 113 ? 126 - field : 13;
      if (shift > 24) return sign;
      const std::uint32_t whole = (magnitude & 0x7FFFFF) | 0x800000;
      const std::uint32_t kept = whole >> shift, rest = whole & ((1u << shift) - 1);
      const std::uint32_t half = 1u << (shift - 1);
      const std::uint32_t up = rest > half || (rest == half && (kept & 1));
      return sign | ((field < 113 ? 0 : std::uint32_t(field - 113) << 10) + kept + up);
    }
  }
};

template <class Out, class V>
HWY_INLINE void store_narrow(V bits, Out* to, int existing) {
  using tag = hn::DFromV<V>;
  if constexpr (sizeof(Out) == sizeof(std::uint32_t)) {
    if (HWY_LIKELY(existing >= lanes_of<tag>))
      return hn::StoreU(bits, tag(), reinterpret_cast<std::uint32_t*>(to));
  }
  alignas(64) std::uint32_t lanes[lanes_of<tag>];
  hn::Store(bits, tag(), lanes);
  for (int i = 0; i < existing && i < lanes_of<tag>; ++i)
    to[i] = detail::from_bits<Out>(typename detail::float_format<Out>::bits(lanes[i]));
}

// Rounds an interval to Out: certified where both ends round to the same bits, or are equal.
// Rounding mode: to nearest.
template <class Out>
HWY_NOINLINE std::int64_t write_interval(const batch& b, Out* out, unsigned char* marks) {
  using narrow = narrow_vector<Out>;
  const f64_tag d;
  const typename narrow::bits_tag db;
  std::int64_t ambiguous = 0;
  for (int k = 0; k < b.count; k += lanes_of<f64_tag>) {
    const auto u = hn::LoadU(d, b.sums.part<double>(0) + k);
    const auto low = hn::Neg(hn::LoadU(d, b.sums.part<double>(1) + k));
    const auto above = narrow::from(u), below = narrow::from(low);
    store_narrow<Out>(above, out + k, b.count - k);
    if (HWY_LIKELY(hn::AllTrue(db, hn::Eq(above, below)))) continue;
    // Where u == d, u is the sum, whatever the ends round to.
    alignas(64) std::uint32_t a[lanes_of<f64_tag>], z[lanes_of<f64_tag>];
    hn::Store(above, db, a), hn::Store(below, db, z);
    for (int i = 0; i < lanes_of<f64_tag> && k + i < b.count; ++i) {
      const bool exact = b.sums.part<double>(0)[k + i] == -b.sums.part<double>(1)[k + i];
      if (a[i] != z[i] && !exact) marks[k + i] = 1, ++ambiguous;
    }
  }
  return ambiguous;
}

// (h, hi, nlo) to f64: certified where h + hi and h - nlo round to one finite number. Rounding
// mode: to nearest.
HWY_NOINLINE inline std::int64_t write_pair(const batch& b, double* out, unsigned char* marks) {
  const f64_tag d;
  std::int64_t ambiguous = 0;
  for (int k = 0; k < b.count; k += lanes_of<f64_tag>) {
    const auto h = hn::LoadU(d, b.sums.part<double>(0) + k);
    const auto hi = hn::LoadU(d, b.sums.part<double>(1) + k);
    const auto nlo = hn::LoadU(d, b.sums.part<double>(2) + k);
    const auto above = plus(h, hi), below = plus(h, hn::Neg(nlo));
    const auto finite = hn::Eq(hn::Sub(above, above), hn::Zero(d));
    ambiguous += mark(d, hn::Not(hn::And(hn::Eq(above, below), finite)), b.count - k, marks + k);
    if (HWY_LIKELY(b.count - k >= lanes_of<f64_tag>)) {
      hn::StoreU(above, d, out + k);
    } else {
      alignas(64) double lanes[lanes_of<f64_tag>];
      hn::Store(above, d, lanes);
      for (int i = 0; k + i < b.count; ++i) out[k + i] = lanes[i];
    }
  }
  return ambiguous;
}

// The mean of h + l + rest, |rest| <= r: q = fl(h / n) leaves the remainder t = h - q n exactly, so
// S / n = q + (t + l + rest) / n. First step, to nearest: (h, l) becomes (q, t); l is saved.
HWY_NOINLINE inline void divide_pair(const batch& b, double* l_aside) {
  const f64_tag d;
  for (int k = 0; k < b.count; k += lanes_of<f64_tag>) {
    const auto n = b.sizes(k);
    const auto h = hn::LoadU(d, b.sums.part<double>(0) + k);
    const auto q = hn::Div(h, n);
#if HWY_TARGET == HWY_SCALAR
    const auto t = hn::Set(d, std::fma(-hn::GetLane(q), hn::GetLane(n), hn::GetLane(h)));
#else
    const auto t = hn::NegMulAdd(q, n, h);
#endif
    // The remainder of a tiny quotient may not be a double.
    const auto risky = hn::And(hn::Lt(hn::Abs(h), hn::Set(d, 0x1p-900)), hn::Ne(h, hn::Zero(d)));
    const auto nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    hn::StoreU(hn::LoadU(d, b.sums.part<double>(1) + k), d, l_aside + k);
    hn::StoreU(q, d, b.sums.part<double>(0) + k);
    hn::StoreU(hn::IfThenElse(risky, nan, t), d, b.sums.part<double>(1) + k);
  }
}
// Second step, upward: (q, t, r) and l become (q, hi, nlo).
HWY_NOINLINE inline void bound_quotient(const batch& b, const double* l_aside) {
  const f64_tag d;
  for (int k = 0; k < b.count; k += lanes_of<f64_tag>) {
    const auto n = b.sizes(k), l = hn::LoadU(d, l_aside + k);
    const auto t = hn::LoadU(d, b.sums.part<double>(1) + k);
    const auto r = hn::Mul(hn::LoadU(d, b.sums.part<double>(2) + k), hn::Set(d, 1 + 0x1p-18));
    const auto hi = hn::Div(hn::Add(hn::Add(t, l), r), n);
    const auto nlo = hn::Div(hn::Add(hn::Sub(hn::Neg(t), l), r), n);
    hn::StoreU(hi, d, b.sums.part<double>(1) + k);
    hn::StoreU(nlo, d, b.sums.part<double>(2) + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
