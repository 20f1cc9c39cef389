// SPDX-License-Identifier: Apache-2.0
// Batched kernels: groups of short outputs, as many as there are lanes, with few branches, compiled
// for each SIMD target. They process either the vectors that each output fills, or element j of all
// outputs at once.
#if defined(ONEFOLD_CPU_BATCHED_SHORT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_SHORT_INL
#undef ONEFOLD_CPU_BATCHED_SHORT_INL
#else
#define ONEFOLD_CPU_BATCHED_SHORT_INL
#endif

#include <algorithm>
#include <bit>

#include "cpu/kernels/batched/batched_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Sum>
inline constexpr bool has_tree =
    Sum::grouped&& std::is_floating_point_v<hn::TFromD<typename Sum::tag>>;

template <accumulator Of, class Sum, class T>
HWY_INLINE Sum sum_of_one(const T* x, const T* y, std::int64_t n, const T* x_end, const T* y_end) {
  if constexpr (has_tree<Sum>)
    return sum_in_tree<Of, Sum>(x, y, n, x_end, y_end);
  else
    return sum_in_any_order<Of, Sum>(x, y, n, x_end, y_end);
}

template <class M>
struct choose {
  M first;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::IfThenElse(first, a, b);
  }
};

template <class Sum>
using size_tag = hn::RebindToSigned<typename Sum::tag>;
template <class Sum>
using sizes_of = hn::Vec<size_tag<Sum>>;

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
HWY_INLINE __m512i sizes_of_16(const std::int64_t* begins) {
  __m256i half[2];
  for (int i = 0; i < 2; ++i) {
    const std::int64_t* const at = begins + 8 * i;
    half[i] = _mm512_cvtsepi64_epi32(
        _mm512_sub_epi64(_mm512_loadu_si512(at + 1), _mm512_loadu_si512(at)));
  }
  return _mm512_inserti64x4(_mm512_castsi256_si512(half[0]), half[1], 1);
}
#endif

// The sizes of as many outputs as there are lanes; sizes are capped at 2^30 or more.
template <class Sum, class T>
HWY_INLINE sizes_of<Sum> sizes_of_lanes(const places<T>& from, std::int64_t first) {
  using lane = hn::TFromD<size_tag<Sum>>;
  constexpr int lanes = lanes_of<typename Sum::tag>;
  constexpr std::int64_t most = std::int64_t(1) << 30;
  const size_tag<Sum> d;
  if (!from.offsets) return hn::Set(d, lane(std::min(from.n, most)));
  const std::int64_t* const begins = from.offsets + first;
  if constexpr (sizeof(lane) == sizeof(std::int64_t)) {
    return hn::Sub(hn::LoadU(d, begins + 1), hn::LoadU(d, begins));
  } else {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    if constexpr (lanes == 16) return {sizes_of_16(begins)};
#endif
    alignas(64) lane sizes[lanes];
    for (int k = 0; k < lanes; ++k) sizes[k] = lane(std::min(begins[k + 1] - begins[k], most));
    return hn::Load(d, sizes);
  }
}

// Replaces sums of no elements by +0.
template <class Sum>
HWY_INLINE Sum with_nothing(const Sum& sum, sizes_of<Sum> sizes) {
  const auto empty = hn::Eq(sizes, hn::Zero(size_tag<Sum>()));
  const auto mask = hn::RebindMask(typename Sum::tag(), empty);
  return Sum::zip(Sum::nothing(), sum, choose<decltype(mask)>{mask});
}

// The sum of one output of n <= Vectors * lanes elements as a vector of lanes; pads with -0.
template <accumulator Of, class Sum, class T, int Vectors>
HWY_INLINE Sum sum_of_vectors(const T* x, std::int64_t n) {
  constexpr int lanes = lanes_of<typename Sum::tag>;
  constexpr int chains = std::min(Vectors, has_tree<Sum> ? tree_lanes / lanes : 4);
  const typename Sum::tag d;
  const size_tag<Sum> di;
  const auto size = hn::Set(di, hn::TFromD<decltype(di)>(n));
  const auto at = [&](int v) {
    const auto there = hn::Lt(hn::Iota(di, hn::TFromD<decltype(di)>(v * lanes)), size);
    return hn::IfThenElse(hn::RebindMask(d, there), load(d, x + v * lanes), zero(d, true));
  };
  Sum sums[chains];
#pragma GCC unroll 8
  for (int v = 0; v < chains; ++v) sums[v] = first_terms<Of, T, Sum>(at(v));
#pragma GCC unroll 8
  for (int v = chains; v < Vectors; ++v) {
    const auto next = at(v);
    add_terms<Of, T>(sums[v % chains], next, next);
  }
#pragma GCC unroll 3
  for (int half = chains / 2; half > 0; half /= 2)
#pragma GCC unroll 4
    for (int v = 0; v < half; ++v) sums[v].join(sums[v + half]);
  return sums[0];
}

// Sums a few outputs one by one, in a loop that is not inlined.
template <accumulator Of, class Sum, class T>
HWY_NOINLINE void sum_longer(const places<T>& from, std::int64_t first, unsigned which, Sum* sums) {
  for (; which != 0; which &= which - 1) {
    const int k = std::countr_zero(which);
    const std::int64_t at = first + k;
    sums[k] = sum_of_one<Of, Sum>(from.x_at(at), from.y_at(at), from.size(at), from.x_end(at),
                                  from.y_end(at));
  }
}

// Sums outputs of which few are longer than Vectors vectors: those are summed one by one.
template <accumulator Of, class Sum, class T, int Vectors>
HWY_INLINE Sum sum_of_short(const places<T>& from, std::int64_t first, sizes_of<Sum> sizes) {
  using lane = hn::TFromD<size_tag<Sum>>;
  constexpr int lanes = lanes_of<typename Sum::tag>;
  alignas(64) lane size[lanes];
  hn::Store(sizes, size_tag<Sum>(), size);
  Sum sums[lanes];
  // Prefetches as many lines with each output: the branches of a loop over an output's own lines
  // would be mispredicted.
  const T* ahead = from.x_at(first);
  const std::int64_t span = (from.x_at(first + lanes - 1) - ahead) * std::int64_t(sizeof(T));
  const std::int64_t line_bytes = std::min<std::int64_t>(span / 64 / lanes + 1, Vectors) * 64;
  for (int k = 0; k < lanes; ++k, ahead += line_bytes / std::int64_t(sizeof(T))) {
    prefetch_behind(ahead, line_bytes);
    sums[k] = sum_of_vectors<Of, Sum, T, Vectors>(from.x_at(first + k), size[k]);
  }
  unsigned longer = 0;
  for (int k = 0; k < lanes; ++k) longer |= unsigned(size[k] > Vectors * lanes) << k;
  if (longer != 0) sum_longer<Of, Sum, T>(from, first, longer, sums);
  return with_nothing(fold_lanes<lanes>(sums), sizes);
}

// The number of vectors, 1, 2, 4 or 8, that holds all but a few of these outputs; 0 where more are
// needed or the vectors must not be read whole.
template <class Sum, class T>
HWY_INLINE int vectors_of_short(const places<T>& from, std::int64_t first, sizes_of<Sum> sizes) {
  using lane = hn::TFromD<size_tag<Sum>>;
  constexpr int lanes = lanes_of<typename Sum::tag>, few = lanes / 4;
  constexpr int most = std::is_floating_point_v<hn::TFromD<typename Sum::tag>> ? 8 : 4;
  const std::int64_t readable = from.x_end(first) - from.x_at(first + lanes - 1);
  for (int vectors = 1; vectors <= most; vectors *= 2) {
    if (readable < vectors * lanes) return 0;
    const auto longer = hn::Gt(sizes, hn::Set(size_tag<Sum>(), lane(vectors * lanes)));
    if (int(hn::CountTrue(size_tag<Sum>(), longer)) <= few) return vectors;
  }
  return 0;
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

// Tables * 16 elements, of which each lane selects one by its index.
template <class T, int Tables>
struct near_elements {
  __m512 table[Tables];
  explicit HWY_INLINE near_elements(const T* x) {
#pragma GCC unroll 4
    for (int i = 0; i < Tables; ++i) table[i] = load(f32_tag(), x + 16 * i).raw;
  }
  // Returns -0 where the output has no such element.
  HWY_INLINE __m512 at(__m512i place, __mmask16 there) const {
    const __m512 none = _mm512_set1_ps(-0.0f);
    if constexpr (Tables == 1) return _mm512_mask_permutexvar_ps(none, there, place, table[0]);
    const __m512 low = _mm512_permutex2var_ps(table[0], place, table[Tables > 1 ? 1 : 0]);
    if constexpr (Tables <= 2) return _mm512_mask_mov_ps(none, there, low);
    const __m512 high = _mm512_permutex2var_ps(table[Tables - 2], place, table[Tables - 1]);
    const __mmask16 upper = _mm512_test_epi32_mask(place, _mm512_set1_epi32(32));
    return _mm512_mask_mov_ps(none, there, _mm512_mask_mov_ps(low, upper, high));
  }
};

// Sums outputs of up to Most elements, all of them within 16 * Tables neighbouring elements:
// `places` are their starts.
template <class T, int Most, int Tables>
HWY_INLINE plain_sum<f32_tag> near_sums(plain_sum<f32_tag>*, const T* x, __m512i places,
                                        __m512i sizes) {
  const near_elements<T, Tables> near(x);
  plain_sum<f32_tag> sums[Most];
#pragma GCC unroll 4
  for (int j = 0; j < Most; ++j) {
    const __m512i step = _mm512_set1_epi32(j);
    sums[j].s = hn::Vec<f32_tag>{
        near.at(_mm512_add_epi32(places, step), _mm512_cmpgt_epi32_mask(sizes, step))};
  }
#pragma GCC unroll 2
  for (int half = Most / 2; half > 0; half /= 2)
#pragma GCC unroll 2
    for (int j = 0; j < half; ++j) sums[j].join(sums[j + half]);
  return sums[0];
}

// The same for eight outputs: the upper half of a vector holds the next element of each.
template <class T, int Most, int Tables>
HWY_INLINE interval_sum near_sums(interval_sum*, const T* x, __m512i places, __m512i sizes) {
  const near_elements<T, Tables> near(x);
  const __m512i upper = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi32(1), 1);
  places = _mm512_add_epi32(_mm512_shuffle_i64x2(places, places, 0x44), upper);
  sizes = _mm512_sub_epi32(_mm512_shuffle_i64x2(sizes, sizes, 0x44), upper);
  interval_sum sum = interval_sum::start();
#pragma GCC unroll 4
  for (int j = 0; j < Most; j += 2) {
    const __m512i step = _mm512_set1_epi32(j);
    const __m512 two =
        near.at(_mm512_add_epi32(places, step), _mm512_cmpgt_epi32_mask(sizes, step));
    const hn::Vec<f64_tag> low{_mm512_cvtps_pd(_mm512_castps512_ps256(two))};
    if (j == 0)
      sum = interval_sum::from(low);
    else
      sum.add(low);
    sum.add(hn::Vec<f64_tag>{_mm512_cvtps_pd(_mm512_extractf32x8_ps(two, 1))});
  }
  return sum;
}

// Loads up to 8 elements of two neighbouring outputs into one vector.
template <class T>
HWY_INLINE plain_sum<f32_tag> two_outputs(const T* x, const T* next, int size, int next_size) {
  const hn::Half<f32_tag> d;
  const __m512i sizes = _mm512_mask_set1_epi32(_mm512_set1_epi32(size), 0xFF00, next_size);
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
  const __m512 both =
      _mm512_mask_insertf32x8(_mm512_set1_ps(-0.0f), _mm512_cmpgt_epi32_mask(sizes, lanes),
                              _mm512_castps256_ps512(load(d, x).raw), load(d, next).raw, 1);
  return {hn::Vec<f32_tag>{both}};
}
template <class T>
HWY_INLINE plain_sum<f32_tag> sum_of_halves(const places<T>& from, std::int64_t first,
                                            __m512i sizes) {
  alignas(64) std::int32_t size[16];
  _mm512_store_si512(size, sizes);
  plain_sum<f32_tag> sums[8];
  for (int k = 0; k < 16; k += 2)
    sums[k / 2] = two_outputs(from.x_at(first + k), from.x_at(first + k + 1), size[k], size[k + 1]);
  return fold_lanes<16, 2>(sums);
}

template <class Sum, class T>
inline constexpr bool knows_near = sizeof(T) <= 4 && !std::is_integral_v<T> &&
                                   (std::is_same_v<Sum, plain_sum<f32_tag>> ||
                                    std::is_same_v<Sum, interval_sum>);

// The starts of 16 or 8 outputs, relative to the first; saturated at 2^32 - 1.
template <int Lanes>
HWY_INLINE __m512i places_of(const std::int64_t* begins) {
  const __m512i base = _mm512_set1_epi64(begins[0]);
  const auto eight = [&](int i) {
    return _mm512_cvtusepi64_epi32(_mm512_sub_epi64(_mm512_loadu_si512(begins + i), base));
  };
  const __m512i low = _mm512_castsi256_si512(eight(0));
  if constexpr (Lanes == 8) return low;
  return _mm512_inserti64x4(low, eight(8), 1);
}

// Prefetches the elements of later outputs, of the same span.
template <class T>
HWY_INLINE void prefetch_near(const T* x, std::int64_t span) {
  prefetch_behind(x, span * std::int64_t(sizeof(T)));
}

template <class T>
HWY_INLINE bool take_near(const places<T>& from, std::int64_t first, sizes_of<plain_sum<f32_tag>> n,
                          plain_sum<f32_tag>& to) {
  const std::int64_t* const begins = from.offsets + first;
  const T* const x = from.x_at(first);
  const std::int64_t span = begins[16] - begins[0], readable = from.all_x_end - x;
  const auto above = [&](int most) {
    return _mm512_cmpgt_epi32_mask(n.raw, _mm512_set1_epi32(most)) != 0;
  };
  if (span <= 32 && readable >= 32 && !above(2))
    prefetch_near(x, span), to = near_sums<T, 2, 2>(&to, x, places_of<16>(begins), n.raw);
  else if (span <= 64 && readable >= 64 && !above(4))
    prefetch_near(x, span), to = near_sums<T, 4, 4>(&to, x, places_of<16>(begins), n.raw);
  else if (readable - (begins[15] - begins[0]) >= 8 && !above(8))
    prefetch_near(x, span), to = sum_of_halves(from, first, n.raw);
  else
    return false;
  return true;
}

template <class T>
HWY_INLINE bool take_near(const places<T>& from, std::int64_t first, sizes_of<interval_sum> n,
                          interval_sum& to) {
  const std::int64_t* const begins = from.offsets + first;
  const T* const x = from.x_at(first);
  const std::int64_t span = begins[8] - begins[0], readable = from.all_x_end - x;
  const auto above = [&](int most) {
    return _mm512_cmpgt_epi64_mask(n.raw, _mm512_set1_epi64(most)) != 0;
  };
  const __m512i sizes = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(n.raw));
  if (span <= 16 && readable >= 16 && !above(2))
    prefetch_near(x, span), to = near_sums<T, 2, 1>(&to, x, places_of<8>(begins), sizes);
  else if (span <= 32 && readable >= 32 && !above(4))
    prefetch_near(x, span), to = near_sums<T, 4, 2>(&to, x, places_of<8>(begins), sizes);
  else
    return false;
  return true;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
