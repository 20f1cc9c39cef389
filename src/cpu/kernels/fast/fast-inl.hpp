// SPDX-License-Identifier: Apache-2.0
// The SIMD loops of fast reductions, compiled for each target.
//
// Sixty-four virtual lanes: the term of element i of a chunk goes to lane i mod 64, whatever the
// width of a vector; then the lanes are folded by halves. So the bits do not depend on the target.
// An incomplete last row is padded with elements whose terms change no sum.
#if defined(ONEFOLD_CPU_FAST_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_FAST_INL
#undef ONEFOLD_CPU_FAST_INL
#else
#define ONEFOLD_CPU_FAST_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <limits>

#include "cpu/kernels/fast/fast_kernels.hpp"
#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"
#include "cpu/kernels/words-inl.hpp"
#include "request/tuning.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int virtual_lanes = 64;

using fast_float_tag = hn::CappedTag<float, 16>;
using fast_double_tag = hn::CappedTag<double, 8>;

HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const double* x) {
  return hn::LoadU(d, x);
}
template <class T>
HWY_INLINE hn::Vec<fast_float_tag> load_row(fast_float_tag d, const T* x) {
  return load_floats(d, x);
}

// A bool in memory: any nonzero byte is true, and reading it as bool would be undefined.
struct boolean_byte {
  unsigned char byte;
  constexpr operator int() const { return byte != 0; }  // NOLINT: a number by nature
};

// Converts integers to doubles; up to 32 bits the conversion is exact.
template <class T>
HWY_INLINE hn::Vec<fast_double_tag> load_narrow(fast_double_tag d, const T* x) {
  const hn::Rebind<std::int32_t, fast_double_tag> words;
  return hn::PromoteTo(d, hn::PromoteTo(words, hn::LoadU(hn::Rebind<T, fast_double_tag>(), x)));
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::int8_t* x) {
  return load_narrow(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::uint8_t* x) {
  return load_narrow(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::int16_t* x) {
  return load_narrow(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::uint16_t* x) {
  return load_narrow(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::int32_t* x) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::int32_t, fast_double_tag>(), x));
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const boolean_byte* x) {
  const auto number = load_row(d, reinterpret_cast<const std::uint8_t*>(x));
  return hn::Min(number, hn::Set(d, 1.0));
}

// The lower bits of 2^52 + x are those of x.
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::uint32_t* x) {
  const hn::RebindToUnsigned<fast_double_tag> bits;
  const auto wide = hn::PromoteTo(bits, hn::LoadU(hn::Rebind<std::uint32_t, fast_double_tag>(), x));
  const auto magic = hn::Set(d, 0x1p52);
  return hn::Sub(hn::BitCast(d, hn::Or(wide, hn::BitCast(bits, magic))), magic);
}

// 64 bits: rounded to nearest.
template <class T>
HWY_INLINE hn::Vec<fast_double_tag> load_wide(fast_double_tag d, const T* x) {
  constexpr int width = int(hn::MaxLanes(fast_double_tag()));
  alignas(64) double converted[width];
  for (int k = 0; k < width; ++k) converted[k] = double(x[k]);
  return hn::Load(d, converted);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::int64_t* x) {
  return load_wide(d, x);
}
HWY_INLINE hn::Vec<fast_double_tag> load_row(fast_double_tag d, const std::uint64_t* x) {
  return load_wide(d, x);
}

// The term of an element (or of two), and the padding elements: their terms are -0, the identity,
// or +0 where no term is negative.
template <class Number>
struct total_term {
  static constexpr bool of_two = false;
  Number missing = Number(-0.0), missing_factor = 0;
  template <class D, class V>
  HWY_INLINE V value(D, V x, V) const {
    return x;
  }
};

template <class Number>
struct magnitude_term : total_term<Number> {
  template <class D, class V>
  HWY_INLINE V value(D, V x, V) const {
    return hn::Abs(x);
  }
};

template <class Number>
struct square_term : total_term<Number> {
  template <class D, class V>
  HWY_INLINE V value(D, V x, V) const {
    return hn::Mul(x, x);
  }
};

template <class Number>
struct product_term {
  static constexpr bool of_two = true;
  Number missing = Number(-0.0), missing_factor = 1;
  template <class D, class V>
  HWY_INLINE V value(D, V x, V y) const {
    return hn::Mul(x, y);
  }
};

// x - centre; the padding is the centre itself.
template <class Number>
struct distance_term {
  static constexpr bool of_two = false;
  Number missing, missing_factor = 0;
  template <class D, class V>
  HWY_INLINE V value(D d, V x, V) const {
    return hn::Sub(x, hn::Set(d, missing));
  }
};

template <class Number>
struct squared_distance_term : distance_term<Number> {
  template <class D, class V>
  HWY_INLINE V value(D d, V x, V y) const {
    const V distance = distance_term<Number>::value(d, x, y);
    return hn::Mul(distance, distance);
  }
};

template <class T>
HWY_INLINE void prefetch_row(const T* x, std::int64_t i, std::size_t in_row) {
  if (in_row * sizeof(T) % cache_line_bytes == 0) prefetch_ahead(x + i);
}

// Adds whole rows of 64 lanes; returns how many elements they had. Ahead: prefetches, which gains 5
// % from memory and costs 15 % from cache.
template <bool Ahead, class D, class Term, class T, int Vectors>
HWY_INLINE std::int64_t add_rows(D d, const Term& term, const T* x, const T* y, std::int64_t n,
                                 hn::Vec<D> (&sums)[Vectors]) {
  constexpr int width = virtual_lanes / Vectors;
  const std::int64_t rows = n / virtual_lanes;
  std::int64_t i = 0;
#pragma GCC unroll 2
  for (std::int64_t row = 0; row < rows; ++row, i += virtual_lanes)
    for (int v = 0; v < Vectors; ++v) {
      const std::int64_t at = i + v * width;
      if (Ahead) prefetch_row(x, at, std::size_t(v) * width);
      if (Ahead && Term::of_two) prefetch_row(y, at, std::size_t(v) * width);
      const auto first = load_row(d, x + at);
      const auto second = Term::of_two ? load_row(d, y + at) : first;
      sums[v] = hn::Add(sums[v], term.value(d, first, second));
    }
  return i;
}

// Folds the lanes by halves: first whole vectors, then the lanes of the last vector.
template <class D, int Vectors>
hn::TFromD<D> fold(D d, hn::Vec<D> (&sums)[Vectors]) {
  constexpr int width = virtual_lanes / Vectors;
  for (int half = Vectors / 2; half > 0; half /= 2)
    for (int v = 0; v < half; ++v) sums[v] = hn::Add(sums[v], sums[v + half]);
  alignas(64) hn::TFromD<D> lanes[width];
  hn::Store(sums[0], d, lanes);
  for (int half = width / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lanes[k] = lanes[k] + lanes[k + half];
  return lanes[0];
}

// Pads the first n elements to a row.
template <class D, class T>
void fill_row(D d, const T* x, std::int64_t n, hn::TFromD<D> missing,
              hn::TFromD<D> (&row)[virtual_lanes]) {
  T narrow[virtual_lanes] = {};
  for (std::int64_t k = 0; k < n; ++k) narrow[k] = x[k];
  constexpr int width = int(hn::MaxLanes(D()));
  for (int k = 0; k < virtual_lanes; k += width) hn::StoreU(load_row(d, narrow + k), d, row + k);
  for (std::int64_t k = n; k < virtual_lanes; ++k) row[k] = missing;
}

template <class D, class Term, class T, int Vectors>
void add_last_row(D d, const Term& term, const T* x, const T* y, std::int64_t n,
                  hn::Vec<D> (&sums)[Vectors]) {
  hn::TFromD<D> row[virtual_lanes], factors[virtual_lanes];
  fill_row(d, x, n, term.missing, row);
  if constexpr (Term::of_two) fill_row(d, y, n, term.missing_factor, factors);
  add_rows<false>(d, term, row, factors, virtual_lanes, sums);
}

template <bool Ahead, class D, class Term, class T>
hn::TFromD<D> sum_terms(D d, const Term& term, const T* x, const T* y, std::int64_t n) {
  constexpr int vectors = virtual_lanes / int(hn::MaxLanes(D()));
  hn::Vec<D> sums[vectors];
  for (auto& sum : sums) sum = hn::Set(d, hn::TFromD<D>(-0.0));
  const std::int64_t i = add_rows<Ahead>(d, term, x, y, n, sums);
  if (i < n) add_last_row(d, term, x + i, Term::of_two ? y + i : y, n - i, sums);
  return fold(d, sums);
}

// An incomplete chunk is the only one, or the last: it is likely in cache.
template <class D, class Term, class T>
hn::TFromD<D> sum_chunk(D d, const Term& term, const T* x, const T* y, std::int64_t n) {
  return n == tuning::chunk_items ? sum_terms<true>(d, term, x, y, n)
                                  : sum_terms<false>(d, term, x, y, n);
}

template <class T, class D, template <class> class Term>
hn::TFromD<D> fast_sum_of(const void* x, const void* y, std::int64_t n) {
  const Term<hn::TFromD<D>> term;
  return sum_chunk(D(), term, static_cast<const T*>(x), static_cast<const T*>(y), n);
}

// The mean as the first element plus the mean distance from it, so that equal elements have no
// variance; then the squared distances from the mean, over a chunk that is in cache by now.
template <class T, class D>
fast_moments<hn::TFromD<D>> fast_moments_of(const void* data, std::int64_t n) {
  using number = hn::TFromD<D>;
  const D d;
  const T* const x = static_cast<const T*>(data);
  number first[virtual_lanes];
  fill_row(d, x, 1, number(0), first);
  const number shifted = sum_chunk(d, distance_term<number>{first[0]}, x, x, n);
  const number mean = first[0] + shifted / number(n);
  // The padding of a last row would count: its distance is Inf - Inf.
  if (!(mean - mean == 0)) return {n, mean, std::numeric_limits<number>::quiet_NaN()};
  return {n, mean, sum_terms<false>(d, squared_distance_term<number>{{mean}}, x, x, n)};
}

template <class T, class D>
fast_kernels<hn::TFromD<D>> floating_row() {
  return {fast_sum_of<T, D, total_term>, fast_sum_of<T, D, magnitude_term>,
          fast_sum_of<T, D, square_term>, fast_sum_of<T, D, product_term>, fast_moments_of<T, D>};
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
