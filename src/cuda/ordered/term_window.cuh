// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of terms whose chunk's largest element is not known yet (docs/numerics/logsumexp.md). A term
// is shifted down by as many places as its binade is below the largest one's, and truncated. Let q
// be a term relative to a guess E, which is no higher than the right binade E + j: the right term
// is q >> j, and the sum of those is (sum q - sum (q mod 2^j)) >> j. So the sums of q and of its
// last places hold the right sum for each j up to `window_reach`.

#include "cuda/ordered/ordered.hpp"
#include "cuda/parts/exponential_terms.cuh"

namespace onefold::cuda {

/// Where the largest elements of parts of a sample, of 16 to 32 elements each, are further apart,
/// the chunk's largest one is probably beyond the window: of normal numbers it is about 0.8 to 1
/// deviations above the sample's, and those are two apart.
inline constexpr float most_window_spread = 10;

/// The place of a chunk's sum in a window about the term of `guess`, an element of it: binades from
/// 0 to window_reach, or -1 where the largest element, `top`, is not covered.
ONEFOLD_DEVICE int window_place(float guess, float top) {
  constexpr float most = exponential::largest_origin_free;
  if (!(fabsf(guess) <= most && fabsf(top) <= most)) return -1;  // NaN too
  const int place = exponential::scale_of(top).exponent - exponential::scale_of(guess).exponent;
  return place <= window_reach ? place : -1;
}

/// A vector of elements -Inf, which add nothing.
template <class T>
ONEFOLD_DEVICE uint4 least_elements() {
  using format = detail::float_format<T>;
  constexpr std::uint32_t least = std::uint32_t(format::sign_bit) | format::infinity;
  constexpr std::uint32_t word = sizeof(T) == 4 ? least : least * 0x10001u;
  return {word, word, word, word};
}

/// Up to 2^16 terms of a lane. Their last places are bytes, four in a word. Two words and the one
/// that is left of those before are added bit by bit, to one word and another of carries, which
/// count twice: the bits of only that one are counted.
class term_window {
 public:
  static constexpr int items = 8;

  /// Of the next elements. term_of: chunk_exponentials of the guess.
  template <class Term>
  ONEFOLD_DEVICE void add(const float (&x)[items], const Term& term_of) {
    std::uint64_t some = 0;  // terms in the window are below 2^56
    std::uint32_t low[items];
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) {
      const std::uint64_t term = term_of(x[i]);
      some += term, low[i] = std::uint32_t(term);
    }
    sum_ += some;
    carry_ += sum_ < some;
    const std::uint32_t a = last_bytes(low), b = last_bytes(low + 4);
    const std::uint32_t twice = (a & b) | (left_ & (a | b));
    left_ ^= a ^ b;
    ONEFOLD_UNROLL
    for (int j = 0; j < window_reach; ++j) twice_[j] = add_bytes(places(twice, j), twice_[j]);
  }

  /// The sum in the binade `place` above the guess. Of use if it is the largest element's.
  ONEFOLD_DEVICE std::uint64_t at(int place) const {
    if (place == 0) return sum_;
    std::uint32_t last = 0;
    ONEFOLD_UNROLL
    for (int j = 0; j < window_reach; ++j)
      if (j == place - 1) last = add_bytes(places(left_, j), 2 * twice_[j]);
    const std::uint64_t whole = sum_ - last;
    return whole >> place | std::uint64_t(carry_ - (sum_ < last)) << (64 - place);
  }

 private:
  /// The last j + 1 places of each byte.
  ONEFOLD_DEVICE static std::uint32_t places(std::uint32_t bytes, int j) {
    return bytes & ((2u << j) - 1) * 0x01010101;
  }
  ONEFOLD_DEVICE static std::uint32_t last_bytes(const std::uint32_t* x) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
    return (x[0] & 0xFF) | (x[1] & 0xFF) << 8 | (x[2] & 0xFF) << 16 | x[3] << 24;
#else
    return __byte_perm(__byte_perm(x[0], x[1], 0x0040), __byte_perm(x[2], x[3], 0x0040), 0x5410);
#endif
  }
  ONEFOLD_DEVICE static std::uint32_t add_bytes(std::uint32_t bytes, std::uint32_t to) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
    for (int i = 0; i < 4; ++i) to += bytes >> 8 * i & 0xFF;
    return to;
#else
    return __dp4a(bytes, 0x01010101u, to);
#endif
  }

  std::uint64_t sum_ = 0;                   // of all terms, without its carries
  std::uint32_t carry_ = 0, left_ = 0;      // bytes that count once
  std::uint32_t twice_[window_reach] = {};  // sums of the last 1, 2, … places that count twice
};

}  // namespace onefold::cuda
