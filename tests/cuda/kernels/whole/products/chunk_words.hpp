// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words that kernels leave for a chunk, of the state that the CPU's engine makes of it.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/scaled_pair.hpp"
#include "runtime/float_environment.hpp"
#include "state/accumulator.hpp"
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
inline chunk_word_list words_of_part(const ordered_state& part) {
  return words_of_part(std::get<detail::product>(part));
}

/// A kernel's words in the form of words_of_part.
inline void make_comparable(accumulator kind, bool integers, std::int64_t* word) {
  const auto number = [&](int i) { return std::bit_cast<double>(word[i]); };
  if (kind != accumulator::product) return;
  if (integers) {
    if ((word[1] & 1) != 0)
      word[0] = 0, word[1] = 1;
    else if ((word[1] & 4) != 0)
      word[0] = 0, word[1] = 4;
    return;
  }
  const auto pair = detail::normalised({number(0), number(1), word[2]});
  word[0] = chunk_word(pair.high), word[1] = chunk_word(pair.low), word[2] = pair.exponent;
}

/// What a kernel may leave for n > 0 elements: the words of the CPU's task.
inline chunk_word_list kernel_words(accumulator kind, dtype input, const void* x, std::int64_t n) {
  const float_environment sound;
  const auto words = [&](accuracy how) {
    return words_of_part(cpu::make_ordered_task(kind, input, how)->take({x, nullptr, n, 0}));
  };
  chunk_word_list made = words(accuracy::fast);
  if (kind == accumulator::product && !is_floating(input)) {
    made[1] = words(accuracy::exact)[1];
    if (made[1] == 2) made[0] = -made[0];
  }
  return made;
}

inline constexpr std::size_t chunk_items = 65536;

inline std::size_t chunks_of(std::size_t n) {
  return (n + chunk_items - 1) / chunk_items;
}

/// What the CPU's engine makes of chunk after chunk.
template <class T>
chunk_word_list expected_words(accumulator kind, const std::vector<T>& x) {
  const float_environment sound;
  const auto task = cpu::make_ordered_task(kind, dtype_of<T>, accuracy::exact);
  chunk_word_list all;
  for (std::size_t first = 0; first < x.size(); first += chunk_items) {
    const auto n = std::int64_t(std::min(chunk_items, x.size() - first));
    const auto words = words_of_part(task->take({&x[first], nullptr, n, 0}));
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

}  // namespace onefold::test
