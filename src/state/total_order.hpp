// SPDX-License-Identifier: Apache-2.0
// Keys of extrema in an order that distinguishes -0 and +0, for transports that take maxima of
// words.
#pragma once

#include <cstdint>
#include <limits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/extrema.hpp"

namespace onefold {

/// The least word: that of a state without elements. Where an element has it too, the words are
/// equal and the counts distinguish them.
inline constexpr std::int64_t no_extremum = std::numeric_limits<std::int64_t>::min();

/// Floats in an order in which -0 is less than +0: keys below zero, and that of -0, move down by
/// one. Words that are to be least are complemented: ~x falls as x rises, and no x overflows.
ONEFOLD_HOST_DEVICE constexpr std::int64_t total_order(const detail::extrema::one& which,
                                                       bool floating) {
  const bool minus = which.key < 0 || (which.key == 0 && !which.plus_zero);
  return floating && minus ? which.key - 1 : which.key;
}

ONEFOLD_HOST_DEVICE constexpr detail::extrema::one
from_total_order(std::int64_t word, std::int64_t index, bool floating) {
  if (!floating) return {word, index, false};
  return {word < 0 ? word + 1 : word, index, word == 0};
}

}  // namespace onefold
