// SPDX-License-Identifier: Apache-2.0
// The SIMD loop of sums of 16-bit elements, compiled for each target: the cascade of
// cascade-inl.hpp with binary32 lanes, of which a vector has twice as many.
//
// The theorems hold with 24 bits of precision in place of 53: docs/numerics/terms.md. bfloat16, in
// chains of 8 items: 5 additions and 4 logical operations a vector (2 on AVX-512), one to convert.
// binary16, in chains of 4, has one window that holds all of it: 4 additions; Inf and NaN show at
// the end of the chain.
#if defined(ONEFOLD_CPU_FLOAT_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_FLOAT_LANES_INL
#undef ONEFOLD_CPU_FLOAT_LANES_INL
#else
#define ONEFOLD_CPU_FLOAT_LANES_INL
#endif

#include <hwy/highway.h>

#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/sum/cascade_step-inl.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"
#include "cpu/kernels/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using narrow_tag = hn::RebindToSigned<float_tag>;
using narrow_vector = hn::Vec<narrow_tag>;
using float_chain = chain<float_vector, 2>;

inline constexpr int float_vector_lanes = hn::MaxLanes(float_tag());
/// Tiles that 32-bit counters can hold: a round gives at most chains * 2^22, and a tile has four
/// rounds.
inline constexpr int narrow_tiles = 16;

struct two_vectors {
  float_vector a, b;
};

// Loads two vectors of elements, in any order.
template <class T>
HWY_INLINE two_vectors load_two(const T* x) {
  return {load_floats(float_tag(), x), load_floats(float_tag(), x + float_vector_lanes)};
}
#if HWY_TARGET != HWY_SCALAR
// Every second bfloat16 is the upper half of a float in memory.
HWY_INLINE two_vectors load_two(const bf16* x) {
  const hn::RebindToUnsigned<float_tag> d;
  const hn::Repartition<std::uint16_t, float_tag> halves;
  const auto pairs = hn::BitCast(d, hn::LoadU(halves, reinterpret_cast<const std::uint16_t*>(x)));
  return {hn::BitCast(float_tag(), hn::ShiftLeft<16>(pairs)),
          hn::BitCast(float_tag(), hn::And(pairs, hn::Set(d, 0xFFFF0000u)))};
}
#endif

template <accumulator Accumulator, step_checks Needed>
HWY_INLINE void add_floats(float_vector x, float_chain& to, float_vector first,
                           evidence<float_vector>& seen) {
  if constexpr (Accumulator == accumulator::magnitudes) x = hn::Abs(x);
  add_to_level<0, Needed>(x, to, first, seen);
}

template <accumulator Accumulator, step_checks Needed, class T>
HWY_INLINE void add_float_row(const T* x, float_chain (&to)[chains], float_vector first,
                              evidence<float_vector>& seen) {
  static_assert(chains == 4);
  prefetch<0>(x);
  prefetch<2 * float_vector_lanes>(x);
  const two_vectors low = load_two(x), high = load_two(x + 2 * float_vector_lanes);
  add_floats<Accumulator, Needed>(low.a, to[0], first, seen);
  add_floats<Accumulator, Needed>(low.b, to[1], first, seen);
  add_floats<Accumulator, Needed>(high.a, to[2], first, seen);
  add_floats<Accumulator, Needed>(high.b, to[3], first, seen);
}

HWY_INLINE bool accepted(const evidence<float_vector>& seen) {
  const narrow_tag di;
  const auto binade = hn::And(hn::BitCast(di, seen.binade), hn::Set(di, std::int32_t(0xFF800000u)));
  const auto residual = hn::And(hn::BitCast(di, seen.residual), hn::Set(di, 0x7FFFFFFF));
  return hn::AllTrue(di, hn::Eq(hn::Or(binade, residual), hn::Zero(di)));
}

template <int Level>
HWY_INLINE narrow_vector bits_of_chains(const float_chain (&from)[chains]) {
  const narrow_tag di;
  return hn::Add(hn::Add(hn::BitCast(di, from[0].s[Level]), hn::BitCast(di, from[1].s[Level])),
                 hn::Add(hn::BitCast(di, from[2].s[Level]), hn::BitCast(di, from[3].s[Level])));
}

inline void move_counters(narrow_vector& from, std::int64_t* to) {
  alignas(64) std::int32_t lanes[float_vector_lanes];
  hn::Store(from, narrow_tag(), lanes);
  for (int i = 0; i < float_vector_lanes; ++i) to[i % max_lanes] += lanes[i];
  from = hn::Zero(narrow_tag());
}

// Runs one round: every chain from start to end, changing nothing else.
template <accumulator Accumulator, checks Checks, levels Shape, class T>
HWY_INLINE void add_round(const T* x, float_chain (&tile)[chains], float_vector first,
                          evidence<float_vector>& seen) {
  constexpr int row = chains * float_vector_lanes, round = row * Shape.lanes->chain_items();
  constexpr step_checks needed = {Checks.binade && !Shape.fixed, Checks.residual && !Shape.fixed};
  for (int i = 0; i < round; i += row) add_float_row<Accumulator, needed>(x + i, tile, first, seen);
  if (!Shape.fixed || !Checks.binade) return;
  seen.binade = or_difference(seen.binade, tile[0].s[0], first);
  seen.binade = or_difference(seen.binade, tile[1].s[0], first);
  seen.binade = or_difference(seen.binade, tile[2].s[0], first);
  seen.binade = or_difference(seen.binade, tile[3].s[0], first);
}

// A tile has as many elements as with doubles: one or more rounds of chains.
template <accumulator Accumulator, checks Checks, levels Shape, class T>
std::int64_t take_float_tiles(const T* x, const T*, std::int64_t tiles, cascade_window* windows) {
  constexpr int round = chains * float_vector_lanes * Shape.lanes->chain_items();
  constexpr int items = tile_vectors<Accumulator, T> * int(hn::MaxLanes(double_tag()));
  static_assert(items % round == 0 && items <= 4 * round);
  float_chain start;
  start.s[0] = hn::Set(float_tag(), float(windows->start[0]));
  start.s[1] = hn::Set(float_tag(), float(windows->start[1]));
  const float_chain at_start[chains] = {start, start, start, start};
  const narrow_vector base0 = bits_of_chains<0>(at_start), base1 = bits_of_chains<1>(at_start);
  narrow_vector zero = hn::Zero(narrow_tag()), counters0 = zero, counters1 = zero;
  std::int64_t taken = 0;
  for (; taken < tiles; ++taken, x += items) {
    evidence<float_vector> seen = {hn::Zero(float_tag()), hn::Zero(float_tag())};
    narrow_vector gained0 = zero, gained1 = zero;
    for (int at = 0; at < items; at += round) {
      float_chain tile[chains] = {start, start, start, start};
      add_round<Accumulator, Checks, Shape>(x + at, tile, start.s[0], seen);
      gained0 = hn::Add(gained0, hn::Sub(bits_of_chains<0>(tile), base0));
      gained1 = hn::Add(gained1, hn::Sub(bits_of_chains<1>(tile), base1));
    }
    if (Checks.rollback && !accepted(seen)) break;
    counters0 = hn::Add(counters0, gained0);
    counters1 = hn::Add(counters1, gained1);
    if ((taken + 1) % narrow_tiles != 0) continue;
    move_counters(counters0, windows->counters[0]);
    move_counters(counters1, windows->counters[1]);
  }
  move_counters(counters0, windows->counters[0]);
  move_counters(counters1, windows->counters[1]);
  return taken;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
