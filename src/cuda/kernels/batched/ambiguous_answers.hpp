// SPDX-License-Identifier: Apache-2.0
// The list of ambiguous answers in several parts, which the whole device sums again: one warp takes
// a quarter of a second for 2^25 elements, as an H200 showed.
#pragma once

#include <cstdint>

#include "onefold/detail/exact_dot.hpp"

namespace onefold::cuda {

/// Words of the partial sums of answers: three of a pair, the largest.
constexpr std::int64_t partials_words(std::int64_t answers, std::int64_t parts) {
  return 3 * answers * parts;
}

inline constexpr unsigned fallback_threads = 256;  ///< of a block
/// Blocks of batched_fallback: two of a multiprocessor, of up to 128 registers.
constexpr unsigned fallback_blocks(unsigned multiprocessors) {
  return 2 * multiprocessors;
}

/// Words of 64 bits.
struct ambiguous_list {
  std::int64_t* counts;   ///< how many answers, how many blocks are done: zero but in between
  std::int64_t* entries;  ///< of each answer its number, and how many of its blocks are done
  std::int64_t* digits;   ///< a list for each block
};
inline constexpr int ambiguous_counts = 2;
constexpr std::int64_t ambiguous_words(std::int64_t answers, unsigned blocks) {
  return 2 * answers + std::int64_t(blocks) * detail::wide_dot<double>::words;
}
/// words: of ambiguous_words.
constexpr ambiguous_list ambiguous_list_in(std::int64_t* counts, std::int64_t* words,
                                           std::int64_t answers) {
  return {counts, words, words + 2 * answers};
}

}  // namespace onefold::cuda
