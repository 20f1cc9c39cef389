// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts, bits and the order of elements whose type is known when the kernel runs, and whose size
// is known when it is compiled: elements of 8 and 16 bits are taken in words.

#include "cuda/primitives/element.cuh"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/warp.cuh"

#include <limits>

namespace onefold::cuda {

#if defined(__CUDACC__)
ONEFOLD_DEVICE unsigned min_of_halves(unsigned a, unsigned b) {
  return __vmins2(a, b);
}
ONEFOLD_DEVICE unsigned max_of_halves(unsigned a, unsigned b) {
  return __vmaxs2(a, b);
}
#else
ONEFOLD_UNCOUNTED static inline unsigned pick_halves(unsigned a, unsigned b, bool largest) {
  const auto low_a = std::int16_t(a), low_b = std::int16_t(b);
  const auto high_a = std::int16_t(a >> 16), high_b = std::int16_t(b >> 16);
  const auto low = std::uint16_t((low_a < low_b) != largest ? low_a : low_b);
  const auto high = std::uint16_t((high_a < high_b) != largest ? high_a : high_b);
  return unsigned(high) << 16 | low;
}
ONEFOLD_UNCOUNTED static inline unsigned min_of_halves(unsigned a, unsigned b) {
  return pick_halves(a, b, false);
}
ONEFOLD_UNCOUNTED static inline unsigned max_of_halves(unsigned a, unsigned b) {
  return pick_halves(a, b, true);
}
#endif

/// Integers are their own, the top bit flipped where the type has no sign and the word has, or the
/// other way around; of floats all bits but the sign are flipped below zero, so that -0 is just
/// before +0 and NaNs are beyond the infinities. Positions: two booleans that are true are equal,
/// and the integers may fall with the elements instead.
template <class Raw, bool Positions>
class element_order {
 public:
  static constexpr bool packed = sizeof(Raw) <= 2;
  /// Of one element.
  using key = std::conditional_t<sizeof(Raw) == 8, std::int64_t, std::int32_t>;
  /// Of one element, or of two.
  using word = std::conditional_t<packed, std::uint32_t, key>;
  static constexpr word greatest = packed ? word(0x7FFF7FFF) : std::numeric_limits<word>::max();
  static constexpr word least = packed ? word(0x80008000) : std::numeric_limits<word>::min();

  ONEFOLD_DEVICE explicit element_order(const element_kind& kind, bool falls = false) {
    constexpr auto top = std::uint64_t(1) << (8 * sizeof(Raw) - 1);
    constexpr std::uint64_t copies = sizeof(Raw) == 1 ? 0x01010101 : packed ? 0x00010001 : 1;
    const bool moved = sizeof(Raw) == 1 ? kind.is_signed : !kind.is_signed && !kind.floating;
    moved_ = word(moved ? top * copies : 0);
    flipped_ = word(!kind.floating ? 0 : packed ? top * copies : top - 1);
    if (sizeof(Raw) > 1 && falls) moved_ = ~moved_;
    turned_ = falls ? 0x00FF00FF : 0;
    bool_limit_ = kind.type == dtype::boolean ? 0x00010001 : 0x7FFF7FFF;
  }

  ONEFOLD_DEVICE static word lesser(word a, word b) {
    if constexpr (packed)
      return min_of_halves(a, b);
    else
      return min(a, b);
  }
  ONEFOLD_DEVICE static word greater(word a, word b) {
    if constexpr (packed)
      return max_of_halves(a, b);
    else
      return max(a, b);
  }
  /// The lesser and the greater element of a word.
  ONEFOLD_DEVICE static key lower(word word) {
    if constexpr (packed)
      return min(key(std::int16_t(word)), key(word) >> 16);
    else
      return word;
  }
  ONEFOLD_DEVICE static key higher(word word) {
    if constexpr (packed)
      return max(key(std::int16_t(word)), key(word) >> 16);
    else
      return word;
  }
  /// The key of integer 0, or, of 64 bits, of one whose bits are 0.
  ONEFOLD_DEVICE std::int64_t zero() const {
    if constexpr (sizeof(Raw) == 1) return moved_ != 0 ? 0x80 : 0;
    if constexpr (sizeof(Raw) == 2) return std::int16_t(moved_);
    return moved_;
  }
  /// The key of element_keys.
  ONEFOLD_DEVICE key plain(key shifted) const {
    return sizeof(Raw) == 2 && moved_ != 0   ? shifted + 0x8000
           : sizeof(Raw) == 1 && moved_ != 0 ? shifted - 0x80
                                             : shifted;
  }

  /// f(word) for all elements of a unit, in any order.
  template <class F>
  ONEFOLD_DEVICE void for_each_word(const uint4& x, const F& f) const {
    take(x.x, f), take(x.y, f), take(x.z, f), take(x.w, f);
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_word(const word_pair& x, const F& f) const {
    take(x.x, f), take(x.y, f);
  }
  /// Twice, where a word has two.
  template <class F>
  ONEFOLD_DEVICE void for_each_word(Raw x, const F& f) const {
    if constexpr (sizeof(Raw) == 1)
      f(of_halves((x ^ (moved_ & 0xFF)) * 0x00010001));
    else if constexpr (sizeof(Raw) == 2)
      take(x * 0x00010001u, f);
    else
      take(x, f);
  }
  ONEFOLD_DEVICE key key_of(Raw x) const {
    key own{};
    for_each_word(x, [&](word both) { own = lower(both); });
    return own;
  }
  /// The greatest of a unit.
  template <class Unit>
  ONEFOLD_DEVICE key greatest_of(const Unit& x) const {
    word own = least;
    for_each_word(x, [&](word next) { own = greater(own, next); });
    return higher(own);
  }

 private:
  template <class Word, class F>
  ONEFOLD_DEVICE void take(Word x, const F& f) const {
    if constexpr (sizeof(Raw) == 1) {
      x ^= moved_;
      f(of_halves(__byte_perm(x, 0, 0x4240)));
      f(of_halves(__byte_perm(x, 0, 0x4341)));
    } else if constexpr (sizeof(Raw) == 2) {
      const word signs = x & flipped_;
      f(x ^ (signs - (signs >> 15)) ^ moved_);
    } else {
      const auto own = word(x);
      f(own ^ (own >> (8 * sizeof(word) - 1) & flipped_) ^ moved_);
    }
  }
  // Of booleans any byte but 0 is true.
  ONEFOLD_DEVICE word of_halves(word bytes) const {
    return Positions ? min_of_halves(bytes, bool_limit_) ^ turned_ : bytes;
  }

  word moved_, flipped_;
  std::uint32_t turned_, bool_limit_;
};

/// A vector as the lanes take it.
template <class Raw>
ONEFOLD_DEVICE vector_of<Raw> unit_of(const uint4& v) {
  if constexpr (sizeof(Raw) == 8)
    return {bits_in<Raw, 0>(v), bits_in<Raw, 1>(v)};
  else
    return v;
}

/// Elements that are not zero, and NaNs.
template <class Raw>
class count_lane {
 public:
  ONEFOLD_DEVICE explicit count_lane(const element_kind& kind) {
    const std::uint64_t all = ~std::uint64_t(0) >> (64 - 8 * sizeof(Raw));
    magnitude_ = word((kind.floating ? all >> 1 : all) * copies);
    largest_ = word((kind.floating ? kind.infinity : all >> (sizeof(Raw) <= 2)) * copies);
  }
  ONEFOLD_DEVICE count_lane none() const {
    count_lane made = *this;
    made.nonzeros_ = made.nans_ = 0;
    return made;
  }

  ONEFOLD_DEVICE void add_unit(const uint4& x, std::uint32_t) {
    add(x.x), add(x.y), add(x.z), add(x.w);
  }
  ONEFOLD_DEVICE void add_unit(const word_pair& x, std::uint32_t) { add(x.x), add(x.y); }
  ONEFOLD_DEVICE void add_unit(Raw x, std::uint32_t) { add(x); }
  ONEFOLD_DEVICE void join(const count_lane& other) {
    nonzeros_ += other.nonzeros_, nans_ += other.nans_;
  }
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int mask = 1; mask < lanes; mask *= 2) {
      nonzeros_ += __shfl_xor_sync(whole_warp, nonzeros_, mask);
      nans_ += __shfl_xor_sync(whole_warp, nans_, mask);
    }
  }
  ONEFOLD_DEVICE std::uint32_t nonzeros() const { return nonzeros_; }
  ONEFOLD_DEVICE std::uint32_t nans() const { return nans_; }

 private:
  using word = std::conditional_t<sizeof(Raw) == 8, std::uint64_t, std::uint32_t>;
  static constexpr std::uint64_t copies = sizeof(Raw) == 1   ? 0x01010101
                                          : sizeof(Raw) == 2 ? 0x00010001
                                                             : 1;
  static constexpr word tops = word(copies << (8 * sizeof(Raw) - 1));

  ONEFOLD_DEVICE void add(word x) {
    const word magnitude = x & magnitude_;
    if constexpr (sizeof(Raw) <= 2) {
      // Added to the lower bits of an element, tops - 1 carries into the top one if any is set.
      constexpr word lower = ~tops;
      nonzeros_ += __popc((((magnitude & lower) + lower) | magnitude) & tops);
      if constexpr (sizeof(Raw) == 2)
        nans_ += __popc(((magnitude & lower) + (lower - largest_)) & tops);
    } else {
      nonzeros_ += magnitude != 0, nans_ += magnitude > largest_;
    }
  }

  word magnitude_, largest_;
  std::uint32_t nonzeros_ = 0, nans_ = 0;
};

struct folded_bits {
  std::int64_t all, any, odd;
};

/// And, or, exclusive or of all bits.
template <class Raw>
class bits_lane {
 public:
  ONEFOLD_DEVICE explicit bits_lane(bool bool_bytes) : bool_bytes_(bool_bytes) {}
  ONEFOLD_DEVICE bits_lane none() const { return bits_lane(bool_bytes_); }

  ONEFOLD_DEVICE void add_unit(const uint4& x, std::uint32_t) {
    add(x.x), add(x.y), add(x.z), add(x.w);
  }
  ONEFOLD_DEVICE void add_unit(const word_pair& x, std::uint32_t) { add(x.x), add(x.y); }
  ONEFOLD_DEVICE void add_unit(Raw x, std::uint32_t) {
    const word own = bool_bytes_ ? x != 0 : x;
    all_ &= own | ~word(Raw(~Raw(0))), any_ |= own, odd_ ^= own;
  }
  ONEFOLD_DEVICE void join(const bits_lane& other) {
    all_ &= other.all_, any_ |= other.any_, odd_ ^= other.odd_;
  }
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int mask = 1; mask < lanes; mask *= 2) {
      all_ &= __shfl_xor_sync(whole_warp, all_, mask);
      any_ |= __shfl_xor_sync(whole_warp, any_, mask);
      odd_ ^= __shfl_xor_sync(whole_warp, odd_, mask);
    }
  }
  /// Of all elements that the words have.
  ONEFOLD_DEVICE folded_bits sum() const {
    word all = all_, any = any_, odd = odd_;
    ONEFOLD_UNROLL
    for (unsigned half = 4 * sizeof(word); half >= 8 * sizeof(Raw); half /= 2)
      all &= all >> half, any |= any >> half, odd ^= odd >> half;
    return {std::int64_t(all), std::int64_t(any), std::int64_t(odd)};
  }

 private:
  using word = std::conditional_t<sizeof(Raw) == 8, std::uint64_t, std::uint32_t>;

  ONEFOLD_DEVICE void add(word x) {
    if constexpr (sizeof(Raw) == 1)
      if (bool_bytes_) x = ((((x & 0x7F7F7F7F) + 0x7F7F7F7F) | x) & 0x80808080) >> 7;
    all_ &= x, any_ |= x, odd_ ^= x;
  }

  bool bool_bytes_;
  word all_ = ~word(0), any_ = 0, odd_ = 0;
};

}  // namespace onefold::cuda
