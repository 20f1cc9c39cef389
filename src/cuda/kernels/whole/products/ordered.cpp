// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/whole/products/ordered.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "request/tuning.hpp"

namespace onefold::cuda {
namespace {

using tuning::chunk_items;

constexpr unsigned blocks_of_a_multiprocessor = 4;

ordered_entry entry_of(accumulator kind, dtype input) {
  return is_floating(input) ? ordered_float_entry(kind, input) : ordered_integer_entry(kind, input);
}

std::int64_t chunks_of(std::int64_t n) {
  return n / chunk_items + (n % chunk_items != 0);
}

double number_of(std::int64_t word) {
  return std::bit_cast<double>(word);
}

// How the words of chunks are read.
struct reading {
  bool integers;
  onefold::accuracy accuracy;
};

// Of integers: the magnitude without zeros, and notes: a zero, below zero, beyond 64 bits.
detail::product integer_product(const std::int64_t* word, std::int64_t n, accuracy how) {
  const bool zero = (word[1] & 1) != 0, negative = (word[1] & 2) != 0, beyond = (word[1] & 4) != 0;
  const std::uint64_t magnitude = zero ? 0 : std::uint64_t(word[0]);
  if (how == accuracy::fast)
    return detail::product::of_wrapped(n, negative ? 0 - magnitude : magnitude);
  return detail::product::of_integers(n, magnitude, negative, beyond && !zero);
}
// The words of one chunk of n elements as its state.
detail::product state_of(const std::int64_t* word, std::int64_t n, reading as) {
  if (as.integers) return integer_product(word, n, as.accuracy);
  const detail::scaled_pair pair = {number_of(word[0]), number_of(word[1]), word[2]};
  return detail::product::of_floats(n, word[3], (word[4] & 1) != 0, (word[4] & 2) != 0,
                                    detail::normalised(pair));
}

constexpr std::uint64_t most_states_at_once = 64;

// The largest complete tree that may come next.
std::uint64_t weight_of(std::uint64_t behind, std::uint64_t left) {
  const std::uint64_t most = std::bit_floor(std::min(left, most_states_at_once));
  return behind == 0 ? most : std::min(most, behind & (0 - behind));
}

// Appends states that next() returns, one after another. A variant for each state takes as long as
// the kernel; so trees of one type are made first.
template <class Next>
void append(std::int64_t states, const Next& next, chunk_tree& into) {
  for (auto left = std::uint64_t(states); left > 0;) {
    const std::uint64_t weight = weight_of(into.chunks(), left);
    detail::product part[most_states_at_once];
    for (std::uint64_t c = 0; c < weight; ++c) part[c] = next();
    for (std::uint64_t step = 1; step < weight; step *= 2)
      for (std::uint64_t c = 0; c < weight; c += 2 * step) part[c].append(part[c + step]);
    into.push(part[0], weight);
    left -= weight;
  }
}

}  // namespace

std::int64_t ordered_words(accumulator kind, dtype input, std::int64_t n) {
  return chunks_of(n) * entry_of(kind, input).words;
}

int ordered_chunk_words(accumulator kind, dtype input) {
  return entry_of(kind, input).words;
}

int launch_ordered(const whole_request& request, unsigned multiprocessors, std::int64_t* words,
                   void* stream) {
  const std::int64_t chunks = chunks_of(request.n);
  const std::int64_t most = std::int64_t(blocks_of_a_multiprocessor) * multiprocessors;
  return entry_of(request.accumulator, request.input)
      .launch(request, unsigned(std::min(chunks, most)), words, stream);
}

void append_chunk(const target& to, dtype input, std::int64_t n, const std::int64_t* words) {
  to.tree->push(state_of(words, n, {!is_floating(input), to.accuracy}));
}

void append_chunks(const target& to, dtype input, std::int64_t n, const std::int64_t* words) {
  const int words_of_chunk = entry_of(to.accumulator, input).words;
  const reading as = {!is_floating(input), to.accuracy};
  std::int64_t left = n;
  append(
      chunks_of(n),
      [&] {
        const std::int64_t* const word = std::exchange(words, words + words_of_chunk);
        const std::int64_t items = std::exchange(left, left - chunk_items);
        return state_of(word, std::min(items, chunk_items), as);
      },
      *to.tree);
}

}  // namespace onefold::cuda
