// SPDX-License-Identifier: Apache-2.0
// Batched kernels: intervals of many short outputs by exact prefix sums of integers, for AVX-512.
//
// A tile of up to 1024 neighbouring elements is scaled by a power of two that makes all of them
// integers below 2^52. An output is then the difference of two prefix sums, whatever its length,
// without a branch. A tile that cannot be scaled is refused, and the loops of rows_loop-inl.hpp
// process it.
#if defined(ONEFOLD_CPU_BATCHED_PREFIX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_PREFIX_INL
#undef ONEFOLD_CPU_BATCHED_PREFIX_INL
#else
#define ONEFOLD_CPU_BATCHED_PREFIX_INL
#endif

#include <algorithm>

#include "cpu/kernels/batched/batched_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

inline constexpr int prefix_items = 1024, prefix_strips = 16;

// The range in which this is faster than masked vectors: segments of up to about 25 elements, rows
// of up to 3.
inline constexpr int prefix_least = 40, prefix_longest_row = 3;

// The prefix sums of each strip, transposed: row p holds the sums of the first p elements of the 16
// strips. base: the sum of all preceding strips.
struct prefix_tile {
  alignas(64) float scaled[prefix_items];
  alignas(64) std::int64_t sums[(prefix_items / prefix_strips + 1) * prefix_strips];
  alignas(64) std::int64_t base[prefix_strips];
  int k = 48;  // the last scale
};

template <bool Magnitudes, class T>
HWY_INLINE __m512 prefix_load(const T* x) {
  const auto v = load_floats(f32_tag(), x);
  return Magnitudes ? hn::Abs(v).raw : v.raw;
}

// The result of a scaling by 2^k.
struct prefix_trial {
  bool whole;  // every x 2^k is an integer
  int most;    // the largest k for which every |x| 2^k is below 2^52; above 126: none
};

// Writes x 2^k for every element. Precondition: 0 <= k <= 126, so that nothing underflows. No k is
// valid for -0, which integers cannot represent.
template <bool Magnitudes, class T>
HWY_INLINE prefix_trial scale_tile(const T* x, int items, int k, float* to) {
  const __m512 scale = _mm512_castsi512_ps(_mm512_set1_epi32((k + 127) << 23));
  const __m512i sign = _mm512_set1_epi32(int(0x80000000u));
  __m512i off = _mm512_setzero_si512(), largest = off;
  __mmask16 minus_zero = 0;
  for (int i = 0; i < items; i += 16) {
    const __m512 v = prefix_load<Magnitudes>(x + i), y = _mm512_mul_ps(v, scale);
    const __m512i bits = _mm512_castps_si512(v);
    const __m512 whole = _mm512_roundscale_ps(y, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    off = _mm512_ternarylogic_epi64(off, _mm512_castps_si512(y), _mm512_castps_si512(whole), 0xF6);
    largest = _mm512_max_epu32(largest, _mm512_andnot_si512(sign, bits));
    minus_zero |= _mm512_cmpeq_epi32_mask(bits, sign);
    _mm512_store_ps(to + i, y);
  }
  const int field = int(std::uint32_t(_mm512_reduce_max_epu32(largest)) >> 23);
  const int most = 51 - (std::max(field, 1) - 127);
  const bool none = minus_zero != 0 || most < 0 || field == 255;
  return {_mm512_test_epi32_mask(off, off) == 0, none ? 127 : most};
}

// Scales by the last tile's k, or else by the largest possible k. False: refused.
template <bool Magnitudes, class T>
HWY_INLINE bool prefix_integers(const T* x, int items, int& k, float* to) {
  prefix_trial seen = scale_tile<Magnitudes>(x, items, k, to);
  if (seen.most > 126) return false;
  if (seen.whole && k <= seen.most) return true;
  if (k == seen.most) return false;
  k = seen.most;
  return scale_tile<Magnitudes>(x, items, k, to).whole;
}

// Transposes a block of 16 strips by 16 elements.
HWY_INLINE void transpose(const float* from, int apart, __m512 (&to)[16]) {
  __m512 a[16], b[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) a[i] = _mm512_load_ps(from + i * apart);
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    const __m512d l0 = _mm512_castps_pd(b[i]), h0 = _mm512_castps_pd(b[i + 1]);
    const __m512d l1 = _mm512_castps_pd(b[i + 2]), h1 = _mm512_castps_pd(b[i + 3]);
    a[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(l0, l1));
    a[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(l0, l1));
    a[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(h0, h1));
    a[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(h0, h1));
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    b[i] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0x88);
    b[i + 4] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0xDD);
    b[i + 8] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0x88);
    b[i + 12] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0xDD);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    to[i] = _mm512_shuffle_f32x4(b[i], b[i + 8], 0x88);
    to[i + 8] = _mm512_shuffle_f32x4(b[i], b[i + 8], 0xDD);
    to[i + 4] = _mm512_shuffle_f32x4(b[i + 4], b[i + 12], 0x88);
    to[i + 12] = _mm512_shuffle_f32x4(b[i + 4], b[i + 12], 0xDD);
  }
}

// The prefix sums of strips of `length` elements. |sums| <= 2^10 2^52 < 2^63. Prefetches elements
// after x: the tile spends its time here, during which memory would be idle.
template <class T>
HWY_INLINE void prefix_sums(prefix_tile& tile, int length, const T* x) {
  __m512i low = _mm512_setzero_si512(), high = low;
  _mm512_store_si512(tile.sums, low), _mm512_store_si512(tile.sums + 8, low);
  std::int64_t* to = tile.sums + 16;
  for (int i = 0; i < length; i += 16) {
    __m512 across[16];
    transpose(tile.scaled + i, length, across);
#pragma GCC unroll 16
    for (int j = 0; j < 16; ++j, to += 16, x += 16) {
      prefetch_behind(x, 1);
      const __m256 upper = _mm512_extractf32x8_ps(across[j], 1);
      low = _mm512_add_epi64(low, _mm512_cvtps_epi64(_mm512_castps512_ps256(across[j])));
      high = _mm512_add_epi64(high, _mm512_cvtps_epi64(upper));
      _mm512_store_si512(to, low), _mm512_store_si512(to + 8, high);
    }
  }
  std::int64_t before = 0;
  for (int s = 0; s < prefix_strips; ++s) tile.base[s] = before, before += to[s - 16];
}

// The sums of the first p elements, for eight p <= 16 << shift.
HWY_INLINE __m512i prefix_at(const prefix_tile& tile, __m512i p, int shift) {
  const __m512i strip =
      _mm512_min_epi64(_mm512_srl_epi64(p, _mm_cvtsi32_si128(shift)), _mm512_set1_epi64(15));
  const __m512i row = _mm512_sub_epi64(p, _mm512_sll_epi64(strip, _mm_cvtsi32_si128(shift)));
  const __m512i at = _mm512_add_epi64(_mm512_slli_epi64(row, 4), strip);
  const __m512i base = _mm512_permutex2var_epi64(_mm512_load_si512(tile.base), strip,
                                                 _mm512_load_si512(tile.base + 8));
  return _mm512_add_epi64(base, _mm512_i64gather_epi64(at, tile.sums, 8));
}

// The ends of eight outputs from first + k on, as numbers of elements after the start of the tile.
template <class T>
HWY_INLINE __m512i ends_at(const places<T>& from, std::int64_t first, int k, int count) {
  if (from.offsets) {
    const auto left = __mmask8((1u << std::min(count - k, 8)) - 1);
    const __m512i ends = _mm512_maskz_loadu_epi64(left, from.offsets + first + k + 1);
    return _mm512_maskz_sub_epi64(left, ends, _mm512_set1_epi64(from.offsets[first]));
  }
  alignas(64) std::int64_t ends[8];
  for (int i = 0; i < 8; ++i) ends[i] = std::min(k + i + 1, count) * from.n;
  return _mm512_load_si512(ends);
}

// The intervals of the outputs of a tile. The thread rounds upward, and so do these conversions;
// the product is exact.
template <class T>
HWY_INLINE void write_prefix_intervals(const places<T>& from, std::int64_t first, int count,
                                       const prefix_tile& tile, int shift, int k, double* u,
                                       double* minus_d) {
  const __m512d scale = _mm512_castsi512_pd(_mm512_set1_epi64(std::int64_t(1023 - k) << 52));
  __m512i before = _mm512_setzero_si512();
  for (int i = 0; i < count; i += 8) {
    const __m512i at = prefix_at(tile, ends_at(from, first, i, count), shift);
    const __m512i sum = _mm512_sub_epi64(at, _mm512_alignr_epi64(at, before, 7));
    const __m512i negated = _mm512_sub_epi64(_mm512_setzero_si512(), sum);
    const auto left = __mmask8((1u << std::min(count - i, 8)) - 1);
    _mm512_mask_storeu_pd(u + i, left, _mm512_mul_pd(_mm512_cvtepi64_pd(sum), scale));
    _mm512_mask_storeu_pd(minus_d + i, left, _mm512_mul_pd(_mm512_cvtepi64_pd(negated), scale));
    before = at;
  }
}

// The number of outputs from `first` on that are within one tile.
template <class T>
HWY_INLINE int outputs_of_tile(const places<T>& from, std::int64_t first, std::int64_t count) {
  if (!from.all_x_end) return 0;
  if (!from.offsets && from.n > prefix_longest_row) return 0;
  if (!from.offsets) return int(std::min<std::int64_t>(count, prefix_items / from.n));
  const std::int64_t* const ends = from.offsets + first + 1;
  return int(std::upper_bound(ends, ends + count, from.offsets[first] + prefix_items) - ends);
}

// The intervals of up to `count` outputs from `first`; returns how many were computed.
template <accumulator Of, class T>
HWY_NOINLINE int take_prefix_tile(const places<T>& from, std::int64_t first, std::int64_t count,
                                  prefix_tile& tile, double* u, double* minus_d) {
  constexpr bool magnitudes = Of == accumulator::magnitudes;
  const int outputs = outputs_of_tile(from, first, count);
  if (outputs < prefix_least) return 0;
  const T* x = from.x_at(first);
  const std::int64_t used = from.x_at(first + outputs - 1) + from.size(first + outputs - 1) - x;
  int shift = 4;
  while ((16 << shift) < used) ++shift;
  const int items = 16 << shift;
  const T* const ahead = x;
  alignas(64) T copy[prefix_items];
  if (HWY_UNLIKELY(from.x_end(first) - x < items)) {
    std::memset(static_cast<void*>(copy), 0, sizeof copy);
    std::memcpy(static_cast<void*>(copy), x, std::size_t(used) * sizeof(T));
    x = copy;
  }
  if (!prefix_integers<magnitudes>(x, items, tile.k, tile.scaled)) return 0;
  prefix_sums(tile, 1 << shift, ahead);
  write_prefix_intervals<T>(from, first, outputs, tile, shift, tile.k, u, minus_d);
  return outputs;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
