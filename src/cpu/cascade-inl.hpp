// SPDX-License-Identifier: Apache-2.0
// The hot loop of the exact sum, once for each SIMD target. See cascade_window.hpp for its proof.
//
// Per vector of doubles: 3 L - 1 additions and 2 logical operations. Per tile and level: chains + 1
// integer operations, so chain_items * chains vectors hide them.
#if defined(ONEFOLD_CPU_CASCADE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_CASCADE_INL
#undef ONEFOLD_CPU_CASCADE_INL
#else
#define ONEFOLD_CPU_CASCADE_INL
#endif

#include <hwy/highway.h>

#include <utility>

#include "cpu/kernels.hpp"
#include "cpu/load-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using double_tag = hn::CappedTag<double, max_lanes>;
using double_vector = hn::Vec<double_tag>;

// One vector of elements as doubles; every conversion is exact.
HWY_INLINE double_vector load_doubles(double_tag d, const double* x) {
  return hn::LoadU(d, x);
}

template <class T>
HWY_INLINE double_vector load_doubles(double_tag d, const T* x) {
  return hn::PromoteTo(d, load_floats(hn::Rebind<float, double_tag>(), x));
}

// a | (b ^ c): one instruction on AVX-512, which g++ 12 does not find by itself.
HWY_INLINE double_vector or_difference(double_vector a, double_vector b, double_vector c) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return double_vector{_mm512_castsi512_pd(_mm512_ternarylogic_epi64(
      _mm512_castpd_si512(a.raw), _mm512_castpd_si512(b.raw), _mm512_castpd_si512(c.raw), 0xF6))};
#else
  return hn::Or(a, hn::Xor(b, c));
#endif
}

// What a tile's additions have shown: bits that differ from what the proof needs.
struct evidence {
  double_vector binade;
  double_vector residual;
};

template <int Levels>
struct chain {
  double_vector s[Levels];
};

// Every index below is a template argument: g++ keeps an array in registers only if no loop over
// it is left when it looks (measured: 28 GB/s against 45 from cache).
template <int Level, int Levels, checks Checks>
HWY_INLINE void add_to_level(double_vector r, chain<Levels>& to, double_vector first,
                             evidence& seen) {
  const double_vector t = hn::Add(to.s[Level], r);
  const double_vector q = hn::Sub(t, to.s[Level]);
  to.s[Level] = t;
  if constexpr (Level == 0 && Checks.binade) seen.binade = or_difference(seen.binade, t, first);
  if constexpr (Level + 1 < Levels)
    add_to_level<Level + 1, Levels, Checks>(hn::Sub(r, q), to, first, seen);
  else if constexpr (Checks.residual)
    seen.residual = or_difference(seen.residual, q, r);
}

// Into the second cache 8 KiB ahead, into the first 4 KiB ahead. Without it one core reads memory
// at 0.66 of the read ceiling (its loads are too far apart for the hardware to run ahead), with the
// first alone at 0.88, with both at 0.96 (AVX-512, f64; docs/performance.md).
template <int Offset, class T>
HWY_INLINE void prefetch(const T* x) {
  if (Offset * sizeof(T) % cache_line_bytes != 0) return;  // that line has been asked for
  const char* const at = reinterpret_cast<const char*>(x + Offset);
  __builtin_prefetch(at + 8192, 0, 2);
  __builtin_prefetch(at + 4096, 0, 3);
}

template <int Levels, checks Checks, class T, int... Chain>
HWY_INLINE void add_row(const T* x, chain<Levels>* to, double_vector first, evidence& seen,
                        std::integer_sequence<int, Chain...>) {
  constexpr int lanes = hn::MaxLanes(double_tag());
  (prefetch<Chain * lanes>(x), ...);
  (add_to_level<0, Levels, Checks>(load_doubles(double_tag(), x + Chain * lanes), to[Chain], first,
                                   seen),
   ...);
}

template <int Levels, int... Chain>
HWY_INLINE void restart(chain<Levels>* to, const chain<Levels>& start,
                        std::integer_sequence<int, Chain...>) {
  ((to[Chain] = start), ...);
}

using integer_tag = hn::RebindToSigned<double_tag>;
using integer_vector = hn::Vec<integer_tag>;

// What the chains of a level have gained, in units of that level, plus chains * bits(M).
template <int Level, int Levels, int... Chain>
HWY_INLINE integer_vector gained(const chain<Levels>* from, std::integer_sequence<int, Chain...>) {
  integer_vector sum = hn::Zero(integer_tag());
  ((sum = hn::Add(sum, hn::BitCast(integer_tag(), from[Chain].s[Level]))), ...);
  return sum;
}

// The window of a run in registers.
template <int Levels>
struct window_registers {
  chain<Levels> start;
  integer_vector base[Levels];  // chains * bits(M)
  integer_vector counters[Levels];
};

template <int Levels, int... Level>
HWY_INLINE void load_window(const cascade_window& from, window_registers<Levels>& to,
                            std::integer_sequence<int, Level...>) {
  ((to.start.s[Level] = hn::Set(double_tag(), from.start[Level])), ...);
  ((to.base[Level] = hn::BitCast(integer_tag(), to.start.s[Level])), ...);
  static_assert(chains == 4);
  ((to.base[Level] = hn::ShiftLeft<2>(to.base[Level])), ...);
  ((to.counters[Level] = hn::Load(integer_tag(), from.counters[Level])), ...);
}

template <int Levels, int... Level>
HWY_INLINE void collect(const chain<Levels>* from, window_registers<Levels>& to,
                        std::integer_sequence<int, Level...>) {
  constexpr std::make_integer_sequence<int, chains> all_chains;
  ((to.counters[Level] =
        hn::Add(to.counters[Level], hn::Sub(gained<Level>(from, all_chains), to.base[Level]))),
   ...);
}

template <int Levels, int... Level>
HWY_INLINE void store_window(const window_registers<Levels>& from, cascade_window& to,
                             std::integer_sequence<int, Level...>) {
  (hn::Store(from.counters[Level], integer_tag(), to.counters[Level]), ...);
}

// Signs and exponents must be M_1's; the last residual must equal what was added, zeros of either
// sign being equal.
HWY_INLINE bool accepted(const evidence& seen) {
  const integer_tag di;
  const auto binade =
      hn::And(hn::BitCast(di, seen.binade), hn::Set(di, std::int64_t(0xFFF0000000000000u)));
  const auto residual =
      hn::And(hn::BitCast(di, seen.residual), hn::Set(di, std::int64_t(0x7FFFFFFFFFFFFFFFu)));
  return hn::AllTrue(di, hn::Eq(hn::Or(binade, residual), hn::Zero(di)));
}

template <int Levels, checks Checks, class T>
std::int64_t take_tiles(const T* x, std::int64_t tiles, cascade_window& window) {
  constexpr int row = chains * int(hn::MaxLanes(double_tag()));
  constexpr std::make_integer_sequence<int, Levels> all_levels;
  constexpr std::make_integer_sequence<int, chains> all_chains;
  window_registers<Levels> open;
  load_window(window, open, all_levels);
  chain<Levels> tile[chains];
  restart(tile, open.start, all_chains);
  std::int64_t taken = 0;
  for (; taken < tiles; ++taken) {
    evidence seen = {hn::Zero(double_tag()), hn::Zero(double_tag())};
    for (int i = 0; i < chain_items; ++i, x += row)
      add_row<Levels, Checks>(x, tile, open.start.s[0], seen, all_chains);
    if (Checks.rollback && !accepted(seen)) break;
    if (!Checks.tile && taken + 1 < tiles) continue;
    collect(tile, open, all_levels);
    restart(tile, open.start, all_chains);
  }
  store_window(open, window, all_levels);
  window.tiles += int(taken);
  return taken;
}

template <class T>
std::uint64_t largest_magnitude(const T* x) {
  using bits = typename detail::float_format<T>::bits;
  constexpr int items = chains * chain_items * int(hn::MaxLanes(double_tag()));
  bits largest = 0;
  for (int i = 0; i < items; ++i) {
    const bits magnitude = detail::to_bits(x[i]) & bits(~detail::float_format<T>::sign_bit);
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

template <class T, checks Checks, int... Depth>
exact_kernels<T> make_exact_kernels(std::integer_sequence<int, Depth...>) {
  constexpr int lanes = hn::MaxLanes(double_tag());
  return {chains * chain_items * lanes,
          {take_tiles<cascade_levels<T>::counts[Depth], Checks, T>...},
          largest_magnitude<T>};
}

template <class T, checks Checks>
exact_kernels<T> make_exact_kernels() {
  return make_exact_kernels<T, Checks>(std::make_integer_sequence<int, exact_kernels<T>::depths>());
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
