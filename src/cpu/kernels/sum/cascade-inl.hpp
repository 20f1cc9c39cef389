// SPDX-License-Identifier: Apache-2.0
// The SIMD loop of the exact sum, compiled for each target. Proof: docs/numerics.md.
//
// Per vector of doubles and stream of L levels: 3 L - 1 additions and up to 4 logical operations, 2
// on AVX-512. Per tile and level: chains + 1 integer operations, which chain_items * chains vectors
// hide.
#if defined(ONEFOLD_CPU_CASCADE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_CASCADE_INL
#undef ONEFOLD_CPU_CASCADE_INL
#else
#define ONEFOLD_CPU_CASCADE_INL
#endif

#include <hwy/highway.h>

#include <utility>

#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/sum/cascade_step-inl.hpp"
#include "cpu/kernels/sum/float_lanes-inl.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"
#include "cpu/kernels/sum/terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The streams of a chain: its terms, the errors of rounded products, and for moments the elements.
template <levels Count>
struct streams {
  chain<double_vector, Count.main> main;
  chain<double_vector, Count.error> error;
  chain<double_vector, Count.sum> sum;
};

struct tile_evidence {
  evidence<double_vector> bits;
  double_vector smallest;  // of the products whose errors are added
};

// Adds the error of a rounded product. The product's binade check bounds the error, so the error
// starts one level down and needs no binade check of its own.
template <accumulator Accumulator, checks Checks, levels Count>
HWY_INLINE void add_error(factors xy, double_vector p, streams<Count>& to, tile_evidence& seen) {
  constexpr bool certified =
      Accumulator == accumulator::moments;  // by the residual check of the elements
  if constexpr (Checks.underflow && !certified) seen.smallest = hn::Min(hn::Abs(p), seen.smallest);
  if constexpr (Checks.error_term)
    add_to_level<0, step_checks{false, Checks.residual && !certified}>(
        multiply_subtract(xy.a, xy.b, p), to.error, p, seen.bits);
}

template <accumulator Accumulator, checks Checks, levels Count>
HWY_INLINE void add_item(factors xy, streams<Count>& to, const streams<Count>& start,
                         tile_evidence& seen) {
  double_vector term = first_part<Accumulator>(xy);
  if constexpr (Accumulator == accumulator::moments) {
    add_to_level<0, step_checks{Checks.binade, Checks.sum_residual}>(xy.a, to.sum, start.sum.s[0],
                                                                     seen.bits);
    term = hn::Mul(xy.a, xy.a);
  }
  constexpr step_checks needed = {Checks.binade,
                                  Checks.residual && Accumulator != accumulator::moments};
  add_to_level<0, needed>(term, to.main, start.main.s[0], seen.bits);
  if constexpr (Count.error > 0) add_error<Accumulator, Checks>(xy, term, to, seen);
}

template <accumulator Accumulator, checks Checks, levels Count, class T, int... Chain>
HWY_INLINE void add_row(const T* x, const T* y, streams<Count>* to, const streams<Count>& start,
                        tile_evidence& seen, std::integer_sequence<int, Chain...>) {
  constexpr int lanes = hn::MaxLanes(double_tag());
  (prefetch<Chain * lanes>(x), ...);
  if constexpr (has_two_factors<Accumulator>) (prefetch<Chain * lanes>(y), ...);
  (add_item<Accumulator, Checks>(
       load_factors<Accumulator>(x + Chain * lanes,
                                 has_two_factors<Accumulator> ? y + Chain * lanes : y),
       to[Chain], start, seen),
   ...);
}

template <int First, int Levels, int... Level>
HWY_INLINE void set_starts(const cascade_window& from, chain<double_vector, Levels>& to,
                           std::integer_sequence<int, Level...>) {
  ((to.s[Level] = hn::Set(double_tag(), from.start[First + Level])), ...);
}

template <levels Count>
HWY_INLINE streams<Count> starts_of(const cascade_window* windows) {
  streams<Count> start;
  set_starts<0>(windows[0], start.main, std::make_integer_sequence<int, Count.main>());
  set_starts<1>(windows[0], start.error, std::make_integer_sequence<int, Count.error>());
  if constexpr (Count.sum > 0)
    set_starts<0>(windows[1], start.sum, std::make_integer_sequence<int, Count.sum>());
  return start;
}

template <levels Count, int... Chain>
HWY_INLINE void restart(streams<Count>* to, const streams<Count>& start,
                        std::integer_sequence<int, Chain...>) {
  ((to[Chain] = start), ...);
}

// The bits of one level of a chain: its gain in units of the level plus the bits of its start; zero
// for a level that the chain does not have.
template <int Level, int Levels>
HWY_INLINE integer_vector bits_of_level(const chain<double_vector, Levels>& from) {
  if constexpr (Level >= 0 && Level < Levels)
    return hn::BitCast(integer_tag(), from.s[Level]);
  else
    return hn::Zero(integer_tag());
}

// The sum over all chains, for a level of window 0, where errors start at level 1, or of window 1.
template <int Window, int Level, levels Count, int... Chain>
HWY_INLINE integer_vector bits_of_chains(const streams<Count>* from,
                                         std::integer_sequence<int, Chain...>) {
  integer_vector sum = hn::Zero(integer_tag());
  if constexpr (Window == 1) ((sum = hn::Add(sum, bits_of_level<Level>(from[Chain].sum))), ...);
  if constexpr (Window == 0 && Level < Count.main)
    ((sum = hn::Add(sum, bits_of_level<Level>(from[Chain].main))), ...);
  if constexpr (Window == 0 && 0 < Level && Level <= Count.error)
    ((sum = hn::Add(sum, bits_of_level<Level - 1>(from[Chain].error))), ...);
  return sum;
}

// The counters of one window during a run, and the sum of its chains' bits at their starts.
template <int Window, int Chains, levels Count>
class tile_counters {
 public:
  HWY_INLINE tile_counters(const cascade_window& from, const streams<Count>* start)
      : tile_counters(from, start, all_levels()) {}

  HWY_INLINE void collect(const streams<Count>* chains) { collect(chains, all_levels()); }
  HWY_INLINE void store(cascade_window& to) const { store(to, all_levels()); }

 private:
  static constexpr int count = Window == 0 ? Count.window() : Count.sum;
  using all_levels = std::make_integer_sequence<int, count>;
  using all_chains = std::make_integer_sequence<int, Chains>;

  template <int... Level>
  HWY_INLINE tile_counters(const cascade_window& from, const streams<Count>* start,
                           std::integer_sequence<int, Level...>) {
    ((counters_[Level] = hn::Load(integer_tag(), from.counters[Level])), ...);
    ((starts_[Level] = bits_of_chains<Window, Level>(start, all_chains())), ...);
  }
  template <int... Level>
  HWY_INLINE void collect(const streams<Count>* chains, std::integer_sequence<int, Level...>) {
    ((counters_[Level] =
          hn::Add(counters_[Level],
                  hn::Sub(bits_of_chains<Window, Level>(chains, all_chains()), starts_[Level]))),
     ...);
  }
  template <int... Level>
  HWY_INLINE void store(cascade_window& to, std::integer_sequence<int, Level...>) const {
    (hn::Store(counters_[Level], integer_tag(), to.counters[Level]), ...);
  }

  integer_vector counters_[count];
  integer_vector starts_[count];
};
template <int Chains, levels Count>
requires(Count.sum == 0) class tile_counters<1, Chains, Count> {
 public:
  tile_counters(const cascade_window&, const streams<Count>*) {}
  void collect(const streams<Count>*) {}
  void store(cascade_window&) const {}
};

// Signs and exponents must equal those of the first levels' starts; the last residual must equal
// what was added, where zeros of either sign are equal.
HWY_INLINE bool accepted(const evidence<double_vector>& seen) {
  const integer_tag di;
  const auto binade =
      hn::And(hn::BitCast(di, seen.binade), hn::Set(di, std::int64_t(0xFFF0000000000000u)));
  const auto residual =
      hn::And(hn::BitCast(di, seen.residual), hn::Set(di, std::int64_t(0x7FFFFFFFFFFFFFFFu)));
  return hn::AllTrue(di, hn::Eq(hn::Or(binade, residual), hn::Zero(di)));
}

// Whether no error of a product was lost to underflow.
template <accumulator Accumulator, checks Checks, class T>
HWY_INLINE bool errors_are_whole(const tile_evidence& seen, const T* x, const T* y) {
  if constexpr (Checks.underflow && has_errors<Accumulator, T> &&
                Accumulator != accumulator::moments) {
    const double_tag d;
    return hn::AllTrue(d, hn::Ge(seen.smallest, hn::Set(d, least_product))) ||
           small_products_are_zeros<Accumulator>(x, y);
  }
  return true;
}

template <accumulator Accumulator, checks Checks, int Depth, class T>
std::int64_t take_tiles(const T* x, const T* y, std::int64_t tiles, cascade_window* windows) {
  constexpr levels count = cascades<Accumulator, T>::depths[Depth];
  constexpr int chain_count = chains_of<Accumulator, T>;
  constexpr std::make_integer_sequence<int, chain_count> all_chains;
  constexpr int row = chain_count * int(hn::MaxLanes(double_tag())), items = row * chain_items;
  const streams<count> start = starts_of<count>(windows);
  streams<count> tile[chain_count];
  restart(tile, start, all_chains);
  tile_counters<0, chain_count, count> terms(windows[0], tile);
  tile_counters<1, chain_count, count> elements(windows[1], tile);
  std::int64_t taken = 0;
  for (; taken < tiles; ++taken, x += items, y += has_two_factors<Accumulator> ? items : 0) {
    const double_vector zero = hn::Zero(double_tag());
    tile_evidence seen = {{zero, zero}, hn::Set(double_tag(), 1)};
    for (int i = 0; i < items; i += row)
      add_row<Accumulator, Checks>(x + i, has_two_factors<Accumulator> ? y + i : y, tile, start,
                                   seen, all_chains);
    if (Checks.rollback &&
        !(accepted(seen.bits) && errors_are_whole<Accumulator, Checks>(seen, x, y)))
      break;
    if (!Checks.tile && taken + 1 < tiles) continue;
    terms.collect(tile);
    elements.collect(tile);
    restart(tile, start, all_chains);
  }
  terms.store(windows[0]);
  elements.store(windows[1]);
  return taken;
}

template <accumulator Accumulator, checks Checks, int Depth, class T>
constexpr typename exact_kernels<T>::take_tiles loop_of_depth() {
  if constexpr (cascades<Accumulator, T>::depths[Depth].lanes->precision == float_lanes.precision)
    return take_float_tiles<Accumulator, Checks, cascades<Accumulator, T>::depths[Depth], T>;
  else
    return take_tiles<Accumulator, Checks, Depth, T>;
}

template <accumulator Accumulator, class T, checks Checks, int... Depth>
exact_kernels<T> make_exact_kernels(std::integer_sequence<int, Depth...>) {
  constexpr int lanes = hn::MaxLanes(double_tag());
  return {tile_vectors<Accumulator, T> * lanes,
          {loop_of_depth<Accumulator, Checks, Depth, T>()...},
          largest_term<Accumulator, T>};
}

template <accumulator Accumulator, class T, checks Checks>
exact_kernels<T> make_exact_kernels() {
  return make_exact_kernels<Accumulator, T, Checks>(
      std::make_integer_sequence<int, depths_of<Accumulator, T>>());
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
