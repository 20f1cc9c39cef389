// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words that kernels leave for a chunk, of the state that the CPU's engine makes of it.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "onefold/detail/scaled_pair.hpp"
#include "state/ordered_state.hpp"

namespace onefold::test {

using chunk_word_list = std::vector<std::int64_t>;

/// NaNs are all the same.
inline std::int64_t chunk_word(double x) {
  return std::bit_cast<std::int64_t>(std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x);
}

inline chunk_word_list words_of_part(const detail::product& part) {
  std::int64_t word[detail::product::words], *next = word;
  part.for_each_word([&](std::int64_t w) { *next++ = w; });
  if (part.form() == detail::product_form::wrapped) return {word[5], 0};
  if (part.form() == detail::product_form::integers)
    return {word[5], (word[6] & 1) | (word[6] >> 1 & 6)};
  const auto& [high, low, exponent] = part.pair();
  return {chunk_word(high), chunk_word(low), exponent, part.nan_count(), word[6] & 3};
}
inline chunk_word_list words_of_part(const detail::log_sum& part) {
  std::int64_t word[detail::log_sum::words], *next = word;
  part.for_each_word([&](std::int64_t w) { *next++ = w; });
  return {word[2], word[3], word[1], word[5]};
}
template <class Accumulator>
chunk_word_list words_of_part(const fast_total<Accumulator>& part) {
  return {chunk_word(double(part.value))};
}
// A mean beside squares that are NaN means nothing.
template <class Accumulator>
chunk_word_list words_of_part(const fast_moments<Accumulator>& part) {
  const bool sound = !std::isnan(part.squares);
  return {sound ? chunk_word(double(part.mean)) : 0, chunk_word(double(part.squares))};
}
inline chunk_word_list words_of_part(const ordered_state& part) {
  return std::visit([](const auto& known) { return words_of_part(known); }, part);
}

}  // namespace onefold::test
