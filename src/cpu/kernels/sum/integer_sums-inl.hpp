// SPDX-License-Identifier: Apache-2.0
// The loops of sums of integers, compiled for each SIMD target: bytes by the loops of
// bytes-inl.hpp, other types by the halves of the words that contain them.
#if defined(ONEFOLD_CPU_INTEGER_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_INTEGER_SUMS_INL
#undef ONEFOLD_CPU_INTEGER_SUMS_INL
#else
#define ONEFOLD_CPU_INTEGER_SUMS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "cpu/kernels/bytes-inl.hpp"
#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"
#include "cpu/kernels/words-inl.hpp"
#include "onefold/dtype.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The storage type of an element, and its value in 32 or 64 bits, enough for its square.
template <class T>
struct integer_element {
  using stored = T;
  using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using narrow = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
  using value_type = std::conditional_t<sizeof(T) <= 2, narrow, wide>;
  static HWY_INLINE value_type value(T x) { return x; }
};
// Any nonzero byte is true: a bool in memory is a byte.
template <>
struct integer_element<bool> {
  using stored = unsigned char;
  using value_type = std::uint32_t;
  static HWY_INLINE value_type value(stored x) { return x != 0; }
};

// Sums of 64-bit numbers of either sign, by halves.
struct half_sums {
  std::uint64_t low = 0;
  std::int64_t high = 0;

  HWY_INLINE void add(std::uint64_t x) {
    low += x & 0xFFFFFFFF;
    high += std::int64_t(x >> 32);
  }
  HWY_INLINE void add(std::int64_t x) {
    low += std::uint64_t(x) & 0xFFFFFFFF;
    high += x >> 32;
  }
  integer_words words() const {
    const int128 sum = (int128(high) << 32) + low;
    return {std::uint64_t(sum), std::uint64_t(sum >> 64), sum < 0 ? -1 : 0};
  }
};

// Sums of numbers below 2^32 in magnitude.
struct plain_sums {
  std::uint64_t sum = 0;  // modulo 2^64, of either sign

  template <class T>
  HWY_INLINE void add(T x) {
    sum += std::uint64_t(x);
  }
  integer_words words() const {
    const std::int64_t above = std::int64_t(sum) >> 63;
    return {sum, std::uint64_t(above), above};
  }
};

template <class T>
using element_sums =
    std::conditional_t<sizeof(typename integer_element<T>::stored) < 8, plain_sums, half_sums>;

template <class T>
inline constexpr std::size_t stored_bytes = sizeof(typename integer_element<T>::stored);

// Whether the loops of bytes-inl.hpp are available for T.
template <class T>
inline constexpr bool by_bytes = stored_bytes<T> == 1 && has_byte_loops;

// The sums of the lower and of the upper halves of words.
struct half_totals {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// Sums `count` words, each with the bits of `flip` inverted. A lane holds 2^half sums of halves:
// (2^half - 1) 2^half < 2^(2 half).
template <bool Ahead, class Word>
half_totals sum_halves(const std::uint8_t* x, std::int64_t count, Word flip) {
  const lane_tag<Word> d;
  constexpr int half = 4 * int(sizeof(Word));
  constexpr auto mask = Word(std::numeric_limits<Word>::max() >> half);
  constexpr auto width = std::int64_t(hn::MaxLanes(lane_tag<Word>()));
  constexpr auto vector_bytes = width * std::int64_t(sizeof(Word));
  constexpr std::int64_t longest = std::int64_t(1) << half;
  const auto flipped = hn::Set(d, flip), kept = hn::Set(d, mask);
  half_totals totals;
  while (count >= width) {
    const std::int64_t whole = count / width, vectors = whole < longest ? whole : longest;
    auto low = hn::Zero(d), high = low;
    for (std::int64_t k = 0; k < vectors; ++k, x += vector_bytes) {
      if (Ahead) prefetch_ahead(x);
      const auto words = hn::Xor(load_words(d, x), flipped);
      low = hn::Add(low, hn::And(words, kept));
      high = hn::Add(high, hn::ShiftRight<half>(words));
    }
    totals.low += sum_of_words(d, low), totals.high += sum_of_words(d, high);
    count -= vectors * width;
  }
  for (; count > 0; --count, x += sizeof(Word)) {
    const auto word = Word(word_at<Word>(x) ^ flip);
    totals.low += word & mask, totals.high += word >> half;
  }
  return totals;
}

// Signed elements are summed as x + bias, which is x with its top bit flipped.
template <class T>
inline constexpr std::uint64_t sign_bias = std::is_signed_v<T>
                                               ? std::uint64_t(1) << (8 * sizeof(T) - 1)
                                               : 0;

// 16 and 32 bits: two elements a word. Modulo 2^64, which holds every sum of a piece.
template <bool Ahead, class T>
std::uint64_t sum_of_pairs(const T* x, std::int64_t n) {
  using word = std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>;
  constexpr auto bias = word(sign_bias<T>);
  const auto flip = word(bias << (8 * sizeof(T)) | bias);
  const auto totals = sum_halves<Ahead>(reinterpret_cast<const std::uint8_t*>(x), n / 2, flip);
  const std::uint64_t last = n % 2 == 0 ? 0 : std::uint64_t(x[n - 1]);
  return totals.low + totals.high - std::uint64_t(n / 2 * 2) * bias + last;
}

template <bool Ahead, class T>
std::int64_t sum_of_bytes(const std::uint8_t* x, std::int64_t n) {
  if constexpr (std::is_same_v<T, bool>) return std::int64_t(sum_bytes<true_bytes, Ahead>(x, n));
  if constexpr (!std::is_signed_v<T>) return std::int64_t(sum_bytes<plain_bytes, Ahead>(x, n));
  return std::int64_t(sum_bytes<shifted_bytes, Ahead>(x, n, 128)) - 128 * n;
}

// A piece has at most 2^31 elements, so sums of numbers below 2^32 stay below 2^63. Ahead:
// prefetches the elements; false where the caller does.
template <class T, bool Ahead = true>
void add_elements(const void* data, std::int64_t n, element_sums<T>& to) {
  using element = integer_element<T>;
  [[maybe_unused]] const auto* const bytes = static_cast<const std::uint8_t*>(data);
  [[maybe_unused]] const auto* const x = static_cast<const typename element::stored*>(data);
  if constexpr (by_bytes<T>) {
    to.add(sum_of_bytes<Ahead, T>(bytes, n));
  } else if constexpr (stored_bytes<T> == 1) {
    for (std::int64_t i = 0; i < n; ++i) to.add(element::value(x[i]));
  } else if constexpr (stored_bytes<T> == 8) {
    const auto totals = sum_halves<Ahead>(bytes, n, sign_bias<T>);
    to.low += totals.low;
    to.high += std::int64_t(totals.high) - n * std::int64_t(sign_bias<T> >> 32);
  } else {
    to.add(sum_of_pairs<Ahead>(x, n));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
