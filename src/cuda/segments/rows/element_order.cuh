// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements as integers that rise with them, those of 8 and 16 bits two at a time in the halves of
// a word. The type is known when the kernel runs, its size when it is compiled.

#include "cuda/parts/element.cuh"
#include "cuda/parts/ends.cuh"
#include "cuda/parts/load.cuh"

namespace onefold::cuda {

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
      return folds::min_of_halves(a, b);
    else
      return min(a, b);
  }
  ONEFOLD_DEVICE static word greater(word a, word b) {
    if constexpr (packed)
      return folds::max_of_halves(a, b);
    else
      return max(a, b);
  }
  /// The lesser and the greater element of a word.
  ONEFOLD_DEVICE static key lower(word of) {
    if constexpr (packed)
      return min(key(std::int16_t(of)), key(of) >> 16);
    else
      return of;
  }
  ONEFOLD_DEVICE static key higher(word of) {
    if constexpr (packed)
      return max(key(std::int16_t(of)), key(of) >> 16);
    else
      return of;
  }
  /// The key of element_keys.
  ONEFOLD_DEVICE key plain(key of) const {
    return sizeof(Raw) == 2 && moved_ != 0   ? of + 0x8000
           : sizeof(Raw) == 1 && moved_ != 0 ? of - 0x80
                                             : of;
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
  ONEFOLD_DEVICE key of(Raw x) const {
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
    return Positions ? folds::min_of_halves(bytes, bool_limit_) ^ turned_ : bytes;
  }

  word moved_, flipped_;
  std::uint32_t turned_, bool_limit_;
};

}  // namespace onefold::cuda
