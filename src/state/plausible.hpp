// SPDX-License-Identifier: Apache-2.0
// Validation of serialized states: refuses words that no sequence of additions can produce.
//
// Limbs are in range; a sum is one that so many elements can reach; no count is below zero or above
// the number of elements; a sum is zero where all elements except NaNs were -0. Sums of squares, of
// magnitudes and of unsigned integers are not negative, and the sums of squares in moments agree
// with the sum next to them.
//
// Precondition of all functions: `words` has as many words as the state.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "onefold/detail/exponential_sum.hpp"
#include "onefold/exact.hpp"

namespace onefold {

using state_words = std::span<const std::int64_t>;

namespace detail {

// The bits of |sum| (of |sum| - 1 below zero), from carried limbs of which the last has the sign.
inline int width_of_digits(state_words digits) {
  const std::uint32_t flip = digits.back() < 0 ? ~std::uint32_t(0) : 0;
  std::size_t top = digits.size() - 1;
  while (top > 0 && (std::uint32_t(digits[top]) ^ flip) == 0) --top;
  return 32 * int(top) + bit_width(std::uint32_t(digits[top]) ^ flip);
}

inline bool all_zero(state_words words) {
  for (const std::int64_t word : words)
    if (word != 0) return false;
  return true;
}

inline bool digits_in_range(state_words digits) {
  for (const std::int64_t digit : digits.first(digits.size() - 1))
    if (digit != std::int64_t(std::uint32_t(digit))) return false;
  return digits.back() == std::int32_t(digits.back());
}

/// `counts`: elements; NaNs and other specials; then whether all elements except NaNs were -0.
/// `specials`: further counts of specials. Precondition: an element is below 2^element_bits units.
inline bool plausible_sum(state_words digits, state_words counts, state_words specials,
                          int element_bits) {
  const std::int64_t elements = counts.front(), nans = counts[1];
  if (elements < 0 || !digits_in_range(digits)) return false;
  if (width_of_digits(digits) > element_bits + bit_width(std::uint64_t(elements))) return false;
  const bool zero = all_zero(digits);
  if (elements == 0 && !zero) return false;
  std::int64_t left = elements;  // elements that no count has covered yet
  for (const auto part : {counts.subspan(1, 3), specials})
    for (const std::int64_t some : part) {
      if (some < 0 || some > left) return false;
      left -= some;
    }
  const std::int64_t only_negative_zeros = counts[4];
  if (only_negative_zeros != 0 && only_negative_zeros != 1) return false;
  // The flag is vacuously true where there are no elements, or only NaNs.
  if (elements == nans && !only_negative_zeros) return false;
  return !only_negative_zeros || (zero && left == elements - nans);
}

}  // namespace detail

template <class T>
bool plausible(detail::tag<detail::wide_sum<T>>, state_words words) {
  using format = detail::float_format<T>;
  constexpr std::size_t limbs = detail::wide_sum<T>::limbs;
  return detail::plausible_sum(words.first(limbs), words.subspan(limbs), {},
                               format::max_exponent + 1 - format::lsb);
}

template <class T>
bool plausible(detail::tag<detail::wide_dot<T>>, state_words words) {
  using format = detail::float_format<T>;
  constexpr std::size_t limbs = detail::wide_dot<T>::limbs;
  return detail::plausible_sum(words.first(limbs), words.subspan(limbs, 5),
                               words.subspan(limbs + 5),
                               2 * (format::max_exponent + 1 - format::lsb));
}

inline bool plausible(detail::tag<detail::integer_sum>, state_words words) {
  if (words[2] == 0) return words[0] == 0 && words[1] == 0;
  return words[2] > 0 && words[1] >= -words[2] && words[1] <= words[2];
}

inline bool plausible(detail::tag<detail::integer_dot>, state_words words) {
  if (words[3] == 0) return detail::all_zero(words);
  return words[3] > 0 && words[2] >= -words[3] && words[2] <= words[3];
}

/// Whether sums can be sums of magnitudes, or of unsigned integers.
template <class T>
bool plausible_magnitudes(detail::tag<detail::wide_sum<T>> type, state_words words) {
  constexpr std::size_t limbs = detail::wide_sum<T>::limbs;
  const std::int64_t elements = words[limbs], nans = words[limbs + 1];
  return plausible(type, words) && words[limbs - 1] >= 0 && words[limbs + 3] == 0 &&
         words[limbs + 4] == (elements == nans);
}

inline bool plausible_magnitudes(detail::tag<detail::integer_sum> type, state_words words) {
  return plausible(type, words) && words[1] >= 0;
}

/// Whether sums of products can be sums of squares.
template <class T>
bool plausible_squares(detail::tag<detail::wide_dot<T>> type, state_words words) {
  constexpr std::size_t limbs = detail::wide_dot<T>::limbs;
  const std::int64_t elements = words[limbs], nans = words[limbs + 1];
  return plausible(type, words) && words[limbs - 1] >= 0 && words[limbs + 3] == 0 &&
         words[limbs + 4] == (elements == nans) && words[limbs + 5] == 0;
}

inline bool plausible_squares(detail::tag<detail::integer_dot> type, state_words words) {
  return plausible(type, words) && words[2] >= 0;
}

template <class T>
bool plausible(detail::tag<detail::moments<T>>, state_words words) {
  using moments = detail::moments<T>;
  using sum = typename moments::sum_type;
  using squares = typename moments::squares_type;
  const auto of_sum = words.first(sum::words), of_squares = words.subspan(sum::words);
  if (!plausible(detail::tag<sum>{}, of_sum)) return false;
  if (!plausible_squares(detail::tag<squares>{}, of_squares)) return false;
  const auto counts = of_sum.subspan(moments::integral ? 2 : sum::limbs);
  const auto others = of_squares.subspan(moments::integral ? 3 : squares::limbs);
  if (counts[0] != others[0]) return false;
  if constexpr (!moments::integral) {
    if (counts[1] != others[1] || counts[2] + counts[3] != others[2]) return false;
    if (counts[4] && !detail::all_zero(of_squares.first(squares::limbs))) return false;
  }
  const std::int64_t* word = words.data();
  return moments::from_words([&] { return *word++; }).consistent();
}

/// Whether words can be those of a band: a count, and a sum of so many exponentials.
inline bool plausible_band(state_words words) {
  const std::int64_t count = words[0];
  const state_words digits = words.subspan(1);
  constexpr int least = -370 - detail::band_sum::lsb, most = 371 - detail::band_sum::lsb;
  if (count == 0) return detail::all_zero(words);
  if (count < 0 || !detail::digits_in_range(digits) || digits.back() < 0) return false;
  const int width = detail::width_of_digits(digits), some = detail::bit_width(std::uint64_t(count));
  return width >= least + some - 1 && width <= most + some;
}

template <class T>
bool plausible_exponentials(state_words words, bool floating) {
  const std::int64_t count = words[0];
  const double band = detail::from_bits<double>(std::uint64_t(words[5]));
  const state_words top = words.subspan(6, detail::band_sum::words);
  const state_words below = words.subspan(6 + detail::band_sum::words);
  if (!plausible_band(top) || !plausible_band(below)) return false;
  std::int64_t left = count;
  for (const std::int64_t some : {words[1], words[2], words[3], top[0], below[0]}) {
    if (some < 0 || some > left) return false;
    left -= some;
  }
  if (!floating && (words[1] != 0 || words[2] != 0 || words[3] != 0)) return false;
  if (words[4] != std::int64_t(typename detail::exponential_sum<T>::bits(words[4]))) return false;
  if (top[0] == 0) return left == 0 && below[0] == 0 && words[4] == 0 && words[5] == 0;
  return band - band == 0 && band == std::nearbyint(band);
}

/// Whether the words of an accumulator can be those of the operator over elements of this type.
template <class Known>
bool plausible_words(const std::int64_t (&words)[Known::words], op op, dtype input) {
  if constexpr (requires { Known::plausible(words, input); }) {
    return Known::plausible(words, input);
  } else if constexpr (std::is_same_v<Known, detail::exponential_sum<float>>) {
    return plausible_exponentials<float>(words, true);
  } else if constexpr (std::is_same_v<Known, detail::exponential_sum<double>>) {
    return plausible_exponentials<double>(words, is_floating(input));
  } else {
    constexpr detail::tag<Known> type;
    const bool no_signs = is_unsigned(input) || input == dtype::boolean;
    if constexpr (requires { plausible_magnitudes(type, words); }) {
      if (no_signs || accumulator_of(op) == accumulator::magnitudes)
        return plausible_magnitudes(type, words);
    } else if constexpr (requires { plausible_squares(type, words); }) {
      if (no_signs || accumulator_of(op) == accumulator::squares)
        return plausible_squares(type, words);
    } else if (no_signs && words[1] < 0) {
      return false;  // moments, which begin with the sum
    }
    return plausible(type, words);
  }
}

/// The same of an accumulator: for results of subtractions and of words that were added.
template <class Known>
bool is_plausible(const Known& known, op op, dtype input) {
  std::int64_t words[Known::words], *end = words;
  known.for_each_word([&](std::int64_t word) { *end++ = word; });
  return plausible_words<Known>(words, op, input);
}

}  // namespace onefold
