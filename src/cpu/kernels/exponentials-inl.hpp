// SPDX-License-Identifier: Apache-2.0
// The SIMD loops of exponentials, compiled for each target: E(x) (state/exponential.hpp) of
// elements by its operations, as doubles that an exact sum then takes.
#if defined(ONEFOLD_CPU_EXPONENTIALS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_EXPONENTIALS_INL
#undef ONEFOLD_CPU_EXPONENTIALS_INL
#else
#define ONEFOLD_CPU_EXPONENTIALS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "cpu/kernels/exponentials.hpp"
#include "cpu/kernels/fused-inl.hpp"
#include "cpu/kernels/words-inl.hpp"
#include "onefold/detail/float_format.hpp"
#include "state/exponential.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The elements of narrow formats are floats, those of f64 and integers doubles.
template <class T>
using wide_element = std::conditional_t<sizeof(T) == 8, double, float>;

// The vectors' even lanes are the low halves of their words.
#if HWY_TARGET == HWY_SCALAR || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
template <class Wide>
using exponential_tag = hn::CappedTag<Wide, 1>;
using exponential_vector = hn::Vec<hn::CappedTag<double, 1>>;

/// E of the floats of a vector, in their order; zeros for lanes whose `counts`, a vector of bits,
/// is zero: take(place, vector of doubles) for each part.
template <class Take>
HWY_INLINE void for_exponentials(hn::Vec<exponential_tag<float>> rest,
                                 hn::Vec<exponential_tag<float>> counts, const Take& take) {
  const hn::CappedTag<double, 1> d;
  const bool kept = detail::to_bits(hn::GetLane(counts)) != 0;
  take(0, hn::Set(d, kept ? detail::exponential(hn::GetLane(rest)) : 0));
}

/// The doubles of a vector of floats, of its lower half or the upper one; and back, rounded.
template <bool Upper>
HWY_INLINE exponential_vector doubles_of(hn::Vec<exponential_tag<float>> x) {
  return hn::Set(hn::CappedTag<double, 1>(), double(hn::GetLane(x)));
}
template <class Make>
HWY_INLINE hn::Vec<exponential_tag<float>> floats_of(const Make& make) {
  return hn::Set(exponential_tag<float>(), float(hn::GetLane(make(std::false_type()))));
}

template <class Wide>
HWY_INLINE void
store_exponentials(hn::Vec<exponential_tag<double>> rest, double* to,
                   hn::Vec<exponential_tag<double>> counts) requires std::is_same_v<Wide, double> {
  const bool kept = detail::to_bits(hn::GetLane(counts)) != 0;
  *to = kept ? detail::exponential(hn::GetLane(rest)) : 0;
}
#else
template <class Wide>
using exponential_tag = lane_tag<Wide>;
using exponential_vector = hn::Vec<hn::Repartition<double, exponential_tag<float>>>;

inline constexpr auto step_entries = [] {
  constexpr int steps = detail::exponential_steps;
  struct {
    std::uint64_t whole[steps];
    std::uint32_t low[steps], high[steps];
  } made{};
  for (int j = 0; j < steps; ++j) {
    made.whole[j] = detail::step_entry(std::uint32_t(j));
    made.low[j] = std::uint32_t(made.whole[j]), made.high[j] = std::uint32_t(made.whole[j] >> 32);
  }
  return made;
}();

// The entries of a table of 32 that the last bits of k choose, by permutations.
template <class D>
HWY_INLINE hn::Vec<D> chosen(D d, const std::uint32_t* table, hn::Vec<D> k) {
  const auto in = hn::IndicesFromVec(d, hn::And(k, hn::Set(d, 15)));
  return hn::IfThenElse(hn::TestBit(k, hn::Set(d, 16)),
                        hn::TableLookupLanes(hn::LoadU(d, table + 16), in),
                        hn::TableLookupLanes(hn::LoadU(d, table), in));
}

// Sixteen lanes in an order of which InterleaveLower and InterleaveUpper, which stay within 16
// bytes, make the lower and the upper half of the vector.
template <class D>
HWY_INLINE hn::Vec<D> before_interleaving(D d, hn::Vec<D> x) {
  static constexpr std::uint32_t order[] = {0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15};
  return hn::TableLookupLanes(x, hn::IndicesFromVec(d, hn::LoadU(d, order)));
}

// 2^(k / 32) as bits of doubles, by loads: where a gather and permutations take longer. `places`:
// the last bits of each k.
template <class D, class Word>
HWY_INLINE hn::Vec<D> loaded_powers(D d, hn::Vec<D> k, const Word* places) {
  const hn::CappedTag<std::uint64_t, 2> two;
  const auto pair = [&](int i) HWY_ATTR {
    return hn::InterleaveLower(two, hn::Set(two, step_entries.whole[places[i]]),
                               hn::Set(two, step_entries.whole[places[i + 1]]));
  };
  const auto scale = hn::ShiftLeft<32 + detail::step_shift>(k);
  if constexpr (hn::MaxLanes(D()) == 2)
    return hn::Add(pair(0), scale);
  else
    return hn::Add(hn::Combine(d, pair(2), pair(0)), scale);
}

template <bool Upper, class D>
HWY_INLINE auto half_of(D, hn::Vec<D> x) {
  const hn::Half<D> half;
  if constexpr (Upper)
    return hn::UpperHalf(half, x);
  else
    return hn::LowerHalf(half, x);
}

/// The doubles of a vector of floats, of its lower half or the upper one; and back, rounded.
template <bool Upper>
HWY_INLINE exponential_vector doubles_of(hn::Vec<exponential_tag<float>> x) {
  return hn::PromoteTo(hn::DFromV<exponential_vector>(),
                       half_of<Upper>(exponential_tag<float>(), x));
}
template <class Make>
HWY_INLINE hn::Vec<exponential_tag<float>> floats_of(const Make& make) {
  const hn::Half<exponential_tag<float>> half;
  return hn::Combine(exponential_tag<float>(), hn::DemoteTo(half, make(std::true_type())),
                     hn::DemoteTo(half, make(std::false_type())));
}

/// E of the floats of a vector, in their order; zeros for lanes that `counts`, a vector of bits,
/// does not have: take(place, vector of doubles) for each half.
template <class Take>
HWY_INLINE void for_exponentials(hn::Vec<exponential_tag<float>> rest,
                                 hn::Vec<exponential_tag<float>> counts, const Take& take) {
  using namespace detail::exponential_of_float;
  const exponential_tag<float> d;
  const hn::RebindToUnsigned<decltype(d)> words;
  const hn::DFromV<exponential_vector> doubles;
  const hn::RebindToUnsigned<decltype(doubles)> wholes;
  const hn::RebindToSigned<decltype(doubles)> integers;
  const hn::RebindToSigned<hn::Half<decltype(d)>> halves;
  const auto ulp = hn::Set(d, integer_ulp);
  const auto shifted = fused(d, rest, hn::Set(d, steps_of_1), ulp);
  const auto whole = hn::Sub(shifted, ulp);
  auto t = fused(d, whole, hn::Set(d, -step_high), rest);
  t = fused(d, whole, hn::Set(d, -step_low), t);
  const auto p = fused(d, t, hn::Set(d, third), hn::Set(d, second));
  const auto s = fused(d, hn::Mul(t, t), p, t);
  const auto k = hn::BitCast(words, shifted), kept = hn::BitCast(words, counts);
  const auto product = [&](auto upper, auto bits) HWY_ATTR {
    const auto power = hn::BitCast(doubles, bits);
    return fused(doubles, power, doubles_of<upper>(s), power);
  };
  if constexpr (hn::MaxLanes(words) == 16) {
    const auto steps = before_interleaving(words, k), all = before_interleaving(words, kept);
    const auto low = hn::And(all, chosen(words, step_entries.low, steps));
    const auto high = hn::And(all, hn::Add(chosen(words, step_entries.high, steps),
                                           hn::ShiftLeft<detail::step_shift>(steps)));
    take(0, product(std::false_type(), hn::InterleaveLower(words, low, high)));
    take(8, product(std::true_type(), hn::InterleaveUpper(words, low, high)));
  } else {
    constexpr int half = hn::MaxLanes(doubles);
    HWY_ALIGN std::uint32_t places[2 * half];
    hn::Store(hn::And(k, hn::Set(words, detail::exponential_steps - 1)), words, places);
    const auto power = [&](auto upper) HWY_ATTR {
      const auto all = hn::PromoteTo(integers, hn::BitCast(halves, half_of<upper>(words, kept)));
      const auto steps = hn::PromoteTo(wholes, half_of<upper>(words, k));
      return hn::And(hn::BitCast(wholes, all),
                     loaded_powers(wholes, steps, places + (upper ? half : 0)));
    };
    take(0, product(std::false_type(), power(std::false_type())));
    take(half, product(std::true_type(), power(std::true_type())));
  }
}

template <class Wide>
HWY_INLINE void
store_exponentials(hn::Vec<exponential_tag<double>> rest, double* to,
                   hn::Vec<exponential_tag<double>> counts) requires std::is_same_v<Wide, double> {
  using namespace detail::exponential_of_double;
  const exponential_tag<double> d;
  const hn::RebindToUnsigned<decltype(d)> words;
  const auto ulp = hn::Set(d, integer_ulp);
  const auto shifted = fused(d, rest, hn::Set(d, steps_of_1), ulp);
  const auto steps = hn::Sub(shifted, ulp);
  auto t = fused(d, steps, hn::Set(d, -step_high), rest);
  t = fused(d, steps, hn::Set(d, -step_low), t);
  auto p = fused(d, t, hn::Set(d, sixth), hn::Set(d, fifth));
  p = fused(d, t, p, hn::Set(d, fourth)), p = fused(d, t, p, hn::Set(d, third));
  p = fused(d, t, p, hn::Set(d, second));
  const auto s = fused(d, hn::Mul(t, t), p, t);
  const auto k = hn::BitCast(words, shifted);
  const auto places = hn::And(k, hn::Set(words, detail::exponential_steps - 1));
  const auto bits = [&]() HWY_ATTR {
    if constexpr (hn::MaxLanes(words) <= 4) {
      HWY_ALIGN std::uint64_t stored[4];
      hn::Store(places, words, stored);
      return loaded_powers(words, k, stored);
    } else {
      const auto entry = hn::GatherIndex(words, step_entries.whole,
                                         hn::BitCast(hn::RebindToSigned<decltype(d)>(), places));
      return hn::Add(entry, hn::ShiftLeft<32 + detail::step_shift>(k));
    }
  }();
  const auto power = hn::BitCast(d, hn::And(hn::BitCast(words, counts), bits));
  hn::StoreU(fused(d, power, s, power), d, to);
}
#endif

/// The vector of lanes that all count.
template <class Wide>
HWY_INLINE hn::Vec<exponential_tag<Wide>> all_lanes() {
  const exponential_tag<Wide> d;
  return hn::BitCast(d, hn::Not(hn::Zero(hn::RebindToUnsigned<decltype(d)>())));
}

template <class Wide>
HWY_INLINE void
store_exponentials(hn::Vec<exponential_tag<float>> rest, double* to,
                   hn::Vec<exponential_tag<float>> counts) requires std::is_same_v<Wide, float> {
  for_exponentials(rest, counts, [&](std::int64_t at, exponential_vector e) HWY_ATTR {
    hn::StoreU(e, hn::DFromV<exponential_vector>(), to + at);
  });
}

HWY_INLINE auto load_wide(const double* x) {
  return hn::LoadU(exponential_tag<double>(), x);
}
template <class T>
HWY_INLINE auto load_wide(const T* x) {
  return load_floats(exponential_tag<float>(), x);
}

// Elements one by one, for the last ones of a block: fewer than a vector has.
template <class T>
HWY_INLINE wide_element<T> wide_of(const T* x) {
  if constexpr (sizeof(T) >= 4)
    return *x;
  else
    return hn::GetLane(load_floats(hn::CappedTag<float, 1>(), x));
}

template <class T>
bool write_one_band(const void* data, std::int64_t n, double origin, double* to,
                    std::uint64_t& patterns) {
  using wide = wide_element<T>;
  const exponential_tag<wide> d;
  const hn::RebindToUnsigned<decltype(d)> words;
  const auto lanes = std::int64_t(hn::Lanes(d));
  const auto from = hn::Set(d, wide(origin)), edge = hn::Set(d, wide(detail::band_width / 2));
  auto inside = hn::Eq(from, from);
  auto sum = hn::Zero(words);
  const auto* const x = static_cast<const T*>(data);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto element = load_wide(x + i), rest = hn::Sub(element, from);
    inside = hn::And(inside, hn::Lt(hn::Abs(rest), edge));
    sum = hn::Add(sum, hn::BitCast(words, element));
    store_exponentials<wide>(rest, to + i, all_lanes<wide>());
  }
  patterns = sum_of_words(words, sum);
  bool all = hn::AllTrue(d, inside);
  for (; i < n; ++i) {
    const wide element = wide_of(x + i), rest = element - wide(origin);
    all = all && rest < detail::band_width / 2 && rest > -detail::band_width / 2;
    if (!all) return false;
    patterns += detail::to_bits(element);
    to[i] = detail::exponential(rest);
  }
  return all;
}

template <class T>
exponential_facts survey_block(const void* data, std::int64_t n) {
  using wide = wide_element<T>;
  const exponential_tag<wide> d;
  const hn::RebindToUnsigned<decltype(d)> words;
  const auto lanes = std::int64_t(hn::Lanes(d));
  const auto infinity = hn::Set(d, wide(HUGE_VAL)), lowest = hn::Neg(infinity);
  auto largest = lowest;
  auto sum = hn::Zero(words);
  exponential_facts facts;
  const auto* const x = static_cast<const T*>(data);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto element = load_wide(x + i);
    const auto finite = hn::Lt(hn::Abs(element), infinity);
    largest = hn::IfThenElse(hn::And(finite, hn::Gt(element, largest)), element, largest);
    sum = hn::Add(sum, hn::BitCast(words, hn::IfThenElseZero(finite, element)));
    facts.nans += std::int64_t(hn::CountTrue(d, hn::IsNaN(element)));
    facts.infinities += std::int64_t(hn::CountTrue(d, hn::Eq(element, infinity)));
    facts.negative_infinities += std::int64_t(hn::CountTrue(d, hn::Eq(element, lowest)));
  }
  HWY_ALIGN wide tops[hn::MaxLanes(d)];
  hn::Store(largest, d, tops);
  wide top = *std::max_element(tops, tops + lanes);
  facts.patterns = sum_of_words(words, sum);
  for (; i < n; ++i) {
    const wide element = wide_of(x + i);
    if (element != element) {
      ++facts.nans;
    } else if (element - element != 0) {
      ++(element > 0 ? facts.infinities : facts.negative_infinities);
    } else {
      top = std::max(top, element);
      facts.patterns += detail::to_bits(element);
    }
  }
  facts.largest = double(top);
  return facts;
}

// An element is of the band if it is so near to its middle, or at an edge by the rule.
template <class T>
std::int64_t write_band(const void* data, std::int64_t n, double band, double* to) {
  using wide = wide_element<T>;
  const exponential_tag<wide> d;
  const auto lanes = std::int64_t(hn::Lanes(d));
  const wide origin = wide(band) * detail::band_width, half = detail::band_width / 2;
  const auto from = hn::Set(d, origin), edge = hn::Set(d, half);
  const bool edges = detail::banded_of(origin + half).band == wide(band);
  std::int64_t count = 0;
  const auto* const x = static_cast<const T*>(data);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto rest = hn::Sub(load_wide(x + i), from), apart = hn::Abs(rest);
    const auto counts = edges ? hn::Le(apart, edge) : hn::Lt(apart, edge);
    count += std::int64_t(hn::CountTrue(d, counts));
    store_exponentials<wide>(hn::IfThenElseZero(counts, rest), to + i, hn::VecFromMask(d, counts));
  }
  for (; i < n; ++i) {
    const auto [own_band, rest] = detail::banded_of(wide_of(x + i));
    const bool counts = own_band == wide(band);
    to[i] = counts ? detail::exponential(rest) : 0;
    count += counts;
  }
  return count;
}

/// By the name of a format.
template <class T>
inline constexpr exponential_kernels exponentials_of = {write_one_band<T>, survey_block<T>,
                                                        write_band<T>};

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
