// SPDX-License-Identifier: Apache-2.0
// The accumulator of bitwise and, or and xor.
//
// Elements are extended to 64 bits: signed types by their sign, unsigned types and bool by zeros.
// The low bits of the result over extended elements are the result over the elements.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"

namespace onefold::detail {

/// Bitwise and, or and xor of integers and bool. Order: any. Capacity: fewer than 2^63 elements.
class bit_fold {
 public:
  /// Adds one element.
  template <class T>
  requires std::is_integral_v<T> ONEFOLD_HOST_DEVICE constexpr void add(T x) {
    const auto bits = std::uint64_t(x);
    note(1, bits, bits, bits);
  }
  /// Adds elements that are already reduced.
  ONEFOLD_HOST_DEVICE constexpr void note(std::int64_t count, std::uint64_t all, std::uint64_t any,
                                          std::uint64_t odd) {
    count_ += count, all_ &= all, any_ |= any, odd_ ^= odd;
  }
  ONEFOLD_HOST_DEVICE constexpr void merge(const bit_fold& other) {
    note(other.count_, other.all_, other.any_, other.odd_);
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return count_; }

  /// The results in the type of the elements; without elements: all bits set, 0, 0.
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr T bit_and() const {
    return narrowed<T>(all_);
  }
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr T bit_or() const {
    return narrowed<T>(any_);
  }
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr T bit_xor() const {
    return narrowed<T>(odd_);
  }

  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(count_), f(std::int64_t(all_)), f(std::int64_t(any_)), f(std::int64_t(odd_));
  }
  template <class F>
  ONEFOLD_HOST_DEVICE static constexpr bit_fold from_words(F&& next) {
    bit_fold fold;
    fold.count_ = next();
    fold.all_ = std::uint64_t(next()), fold.any_ = std::uint64_t(next());
    fold.odd_ = std::uint64_t(next());
    return fold;
  }
  static constexpr int words = 4;

  /// The additive form (onefold/detail/additive.hpp): for each bit, how many states have it clear
  /// in the and, set in the or, set in the xor; two counts a word. It cannot be subtracted.
  static constexpr int additive_words = 1 + 3 * 32;
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    *to++ = count_;
    const std::uint64_t all_kinds[] = {~all_, any_, odd_};
    for (const std::uint64_t bits : all_kinds)
      for (int i = 0; i < 32; ++i)
        *to++ = std::int64_t((bits >> i & 1) | (bits >> (i + 32) & 1) << 32);
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* from) {
    count_ = *from++;
    all_ = ~std::uint64_t(0), any_ = odd_ = 0;
    for (int bit = 0; bit < 64; ++bit) {
      const auto count = [&](int which) {
        return std::uint64_t(from[32 * which + bit % 32]) >> (bit / 32 * 32) & 0xFFFFFFFF;
      };
      if (count(0) > 0) all_ ^= std::uint64_t(1) << bit;
      if (count(1) > 0) any_ ^= std::uint64_t(1) << bit;
      odd_ ^= (count(2) & 1) << bit;
    }
  }

  /// Whether these words can be the serialized state of elements of that type.
  static constexpr bool plausible(const std::int64_t (&word)[words], dtype input) {
    const auto [count, all, any, odd] = word;
    if (count < 0 || is_floating(input)) return false;
    if (count == 0) return all == -1 && any == 0 && odd == 0;
    const auto fits = [&](std::int64_t folded) {
      return with_type(input, [&]<class T>(tag<T>) {
        if constexpr (std::is_integral_v<T>)
          return std::int64_t(narrowed<T>(std::uint64_t(folded))) == folded;
        else
          return false;
      });
    };
    if (!fits(all) || !fits(any) || !fits(odd)) return false;
    // A bit that is set in all elements is set in the xor if the count is odd.
    const std::int64_t everywhere = count % 2 != 0 ? all : 0;
    if ((all & ~any) != 0 || (odd & ~any) != 0 || (odd & all) != everywhere) return false;
    if (count == 1) return all == any;
    return count != 2 || (odd & ~all) == (any & ~all);
  }

  friend constexpr bool operator==(const bit_fold&, const bit_fold&) = default;

 private:
  template <class T>
  ONEFOLD_HOST_DEVICE static constexpr T narrowed(std::uint64_t bits) {
    return std::is_same_v<T, bool> ? T(bits & 1) : T(bits);
  }

  std::int64_t count_ = 0;
  std::uint64_t all_ = ~std::uint64_t(0);
  std::uint64_t any_ = 0;
  std::uint64_t odd_ = 0;
};

}  // namespace onefold::detail
