// SPDX-License-Identifier: Apache-2.0
#include "cuda/ordered/ordered.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "request/tuning.hpp"

namespace onefold::cuda {
namespace {

using tuning::chunk_items;

// A block holds a stage of its chunk in shared memory.
constexpr unsigned blocks_of_a_multiprocessor = 4;

ordered_entry entry_of(accumulator of, dtype input) {
  return is_floating(input) ? ordered_float_entry(of, input) : ordered_integer_entry(of, input);
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

// The words of one chunk of n elements as its state.
detail::log_sum state_of(const std::int64_t* word, std::int64_t n, reading,
                         const detail::log_sum&) {
  return detail::log_sum::of_piece(n, word[2], word[3] != 0, number_of(word[0]),
                                   number_of(word[1]));
}

// Of integers: the magnitude without zeros, and notes: a zero, below zero, beyond 64 bits.
detail::product integer_product(const std::int64_t* word, std::int64_t n, accuracy how) {
  const bool zero = (word[1] & 1) != 0, negative = (word[1] & 2) != 0, beyond = (word[1] & 4) != 0;
  const std::uint64_t magnitude = zero ? 0 : std::uint64_t(word[0]);
  if (how == accuracy::fast)
    return detail::product::of_wrapped(n, negative ? 0 - magnitude : magnitude);
  return detail::product::of_integers(n, magnitude, negative, beyond && !zero);
}
detail::product state_of(const std::int64_t* word, std::int64_t n, reading as,
                         const detail::product&) {
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

// Appends states of `each` chunks that next() returns, one after another. A variant for each state
// takes as long as the kernel; so trees of one type are made first.
template <class State, class Next>
void append(std::int64_t states, std::int64_t each, const Next& next, chunk_tree& into) {
  for (auto left = std::uint64_t(states); left > 0;) {
    const std::uint64_t weight = weight_of(into.chunks() / std::uint64_t(each), left);
    State part[most_states_at_once];
    for (std::uint64_t c = 0; c < weight; ++c) part[c] = next();
    for (std::uint64_t step = 1; step < weight; step *= 2)
      for (std::uint64_t c = 0; c < weight; c += 2 * step) part[c].append(part[c + step]);
    into.push(part[0], weight * std::uint64_t(each));
    left -= weight;
  }
}

template <class F>
void with_state(accumulator what, const F& f) {
  if (what == accumulator::product)
    f(detail::product());
  else
    f(detail::log_sum());
}

}  // namespace

std::int64_t ordered_words(accumulator of, dtype input, std::int64_t n) {
  return chunks_of(n) * entry_of(of, input).words;
}

int ordered_chunk_words(accumulator of, dtype input) {
  return entry_of(of, input).words;
}

int launch_ordered(const full_request& of, unsigned multiprocessors, std::int64_t* words,
                   void* stream) {
  const std::int64_t chunks = chunks_of(of.n);
  const std::int64_t most = std::int64_t(blocks_of_a_multiprocessor) * multiprocessors;
  return entry_of(of.of, of.input).launch(of, unsigned(std::min(chunks, most)), words, stream);
}

int launch_merged(const full_request& of, unsigned multiprocessors, std::int64_t* scratch,
                  std::int64_t* to, unsigned* ticket, void* stream) {
  if (of.n > 0)
    if (const int failed = launch_ordered(of, multiprocessors, scratch, stream); failed != 0)
      return failed;
  return launch_log_sum_trees(scratch, of.n, to, ticket, of.finish, stream);
}

merged_words merged_words_of(accumulator of, dtype input, std::int64_t n) {
  const int words = entry_of(of, input).state_words;
  const std::int64_t trees = chunks_of(n) / device_tree_chunks + 1;
  return words == 0 ? merged_words() : merged_words{ordered_words(of, input, n), trees * words};
}

bool merges_on_device(const target& to, dtype input, std::int64_t n) {
  return entry_of(to.what, input).state_words > 0 && chunks_of(n) >= device_tree_chunks &&
         to.tree->chunks() % std::uint64_t(device_tree_chunks) == 0;
}

void append_chunk(const target& to, dtype input, std::int64_t n, const std::int64_t* words) {
  const reading as = {!is_floating(input), to.accuracy};
  with_state(to.what, [&](const auto& nothing) { to.tree->push(state_of(words, n, as, nothing)); });
}

void append_chunks(const target& to, dtype input, std::int64_t n, const std::int64_t* words) {
  const int words_of_chunk = entry_of(to.what, input).words;
  const reading as = {!is_floating(input), to.accuracy};
  std::int64_t left = n, chunks = chunks_of(n);
  if (merges_on_device(to, input, n)) {
    const std::int64_t trees = chunks / device_tree_chunks;
    const auto next = [&] { return detail::log_sum::from_words([&] { return *words++; }); };
    append<detail::log_sum>(trees, device_tree_chunks, next, *to.tree);
    left -= trees * device_tree_chunks * chunk_items, chunks %= device_tree_chunks;
  }
  with_state(to.what, [&]<class State>(const State& nothing) {
    const auto next = [&] {
      const std::int64_t* const word = std::exchange(words, words + words_of_chunk);
      const std::int64_t items = std::exchange(left, left - chunk_items);
      return state_of(word, std::min(items, chunk_items), as, nothing);
    };
    append<State>(chunks, 1, next, *to.tree);
  });
}

}  // namespace onefold::cuda
