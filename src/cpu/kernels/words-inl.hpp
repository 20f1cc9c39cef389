// SPDX-License-Identifier: Apache-2.0
// Vectors of up to 64 bytes: of lanes, of bytes, and of bytes viewed as words; compiled for each
// SIMD target.
#if defined(ONEFOLD_CPU_WORDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_WORDS_INL
#undef ONEFOLD_CPU_WORDS_INL
#else
#define ONEFOLD_CPU_WORDS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Lane>
using lane_tag = hn::CappedTag<Lane, 64 / sizeof(Lane)>;

using byte_tag = lane_tag<std::uint8_t>;
using byte_vector = hn::Vec<byte_tag>;
inline constexpr std::int64_t byte_lanes = hn::MaxLanes(byte_tag());

// Loads the last bytes of an array into a vector padded with `filler`.
HWY_INLINE byte_vector last_bytes(const std::uint8_t* x, std::int64_t n, int filler) {
  std::uint8_t bytes[byte_lanes];
  std::memset(bytes, filler, sizeof bytes);
  std::memcpy(bytes, x, std::size_t(n));
  return hn::LoadU(byte_tag(), bytes);
}

template <class Word>
HWY_INLINE Word word_at(const std::uint8_t* x) {
  Word word;
  std::memcpy(&word, x, sizeof word);
  return word;
}

// Loads words from any address.
template <class D>
HWY_INLINE hn::Vec<D> load_words(D d, const std::uint8_t* x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, word_at<hn::TFromD<D>>(x));
#else
  return hn::BitCast(d, hn::LoadU(hn::Repartition<std::uint8_t, D>(), x));
#endif
}

template <class D>
std::uint64_t sum_of_words(D d, hn::Vec<D> words) {
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(D())];
  hn::Store(words, d, lanes);
  return std::accumulate(std::begin(lanes), std::end(lanes), std::uint64_t(0));
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
