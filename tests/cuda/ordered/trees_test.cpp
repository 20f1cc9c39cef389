// SPDX-License-Identifier: Apache-2.0
// Trees of sums of exponentials under the executor: the states that the host's operations make.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <variant>
#include <vector>

#include "cuda/ordered/chunk_words.hpp"
#include "cuda/ordered/kernels.hpp"
#include "onefold/detail/log_sum.hpp"
#include "runtime/float_environment.hpp"
#include "simt/device.hpp"
#include "state/chunk_tree.hpp"
#include "support/elements.hpp"

namespace onefold::test {
namespace {

constexpr std::int64_t tree_chunks = 64;

// Shifts that are alike, or rise and fall by more than the reach of a state, or by more than the
// doubles reach; some chunks are empty.
chunk_word_list make_words(random_source& random, std::int64_t chunks, int kind) {
  const double apart[] = {1, 30, 100, 1e4, std::numeric_limits<double>::max()};
  chunk_word_list words;
  for (std::int64_t c = 0; c < chunks; ++c) {
    const bool empty = kind > 0 && random.one_in(5);
    const double shift = apart[kind] * (double(random.below(2001)) / 1000 - 1);
    const double sum = 1 + double(random()) * 0x1p-48;
    words.push_back(empty ? 0 : chunk_word(shift)), words.push_back(empty ? 0 : chunk_word(sum));
    words.push_back(random.one_in(20) ? std::int64_t(random.below(65536)) : 0);
    words.push_back(kind == 3 && random.one_in(99));
  }
  return words;
}

std::int64_t items_of(std::int64_t n, std::int64_t chunk) {
  return std::min(n - chunk * std::int64_t(chunk_items), std::int64_t(chunk_items));
}

detail::log_sum state_of(const chunk_word_list& words, std::int64_t n, std::int64_t chunk) {
  const std::int64_t* const word = &words[std::size_t(4 * chunk)];
  return detail::log_sum::of_piece(items_of(n, chunk), word[2], word[3] != 0,
                                   std::bit_cast<double>(word[0]), std::bit_cast<double>(word[1]));
}

chunk_word_list expected(const chunk_word_list& words, std::int64_t n) {
  const float_environment sound;
  const std::int64_t chunks = std::int64_t(words.size()) / 4, whole = chunks / tree_chunks;
  chunk_word_list all;
  for (std::int64_t tree = 0; tree < whole; ++tree) {
    chunk_tree above{ordered_state(detail::log_sum())};
    for (std::int64_t c = tree * tree_chunks; c < (tree + 1) * tree_chunks; ++c)
      above.push(state_of(words, n, c));
    std::get<detail::log_sum>(above.value()).for_each_word([&](std::int64_t word) {
      all.push_back(word);
    });
  }
  all.insert(all.end(), words.begin() + 4 * tree_chunks * whole, words.end());
  return all;
}

TEST(Trees, OfSumsOfExponentialsHaveTheBitsOfTheHost) {
  std::uint64_t index = 0;
  for (const std::int64_t chunks : {1, 63, 64, 65, 127, 128, 200})
    for (int kind = 0; kind < 5; ++kind) {
      random_source random = source_of(350, ++index);
      const chunk_word_list words = make_words(random, chunks, kind);
      const auto last = std::int64_t(random.below(chunk_items)) + 1;
      const std::int64_t n = (chunks - 1) * std::int64_t(chunk_items) + last;
      const chunk_word_list wanted = expected(words, n);
      simt::device gpu;
      const auto* const there = gpu.memory().copy(std::span<const std::int64_t>(words), "words");
      auto* const to = gpu.memory().allocate<std::int64_t>(wanted.size(), "to");
      launch_log_sum_trees(gpu, there, n, to);
      for (const simt::finding& f : gpu.report()) ADD_FAILURE() << f.text();
      ASSERT_EQ(chunk_word_list(to, to + wanted.size()), wanted)
          << "ONEFOLD_TEST_SEED=" << seed() << ": " << chunks << " chunks, kind " << kind;
    }
}

}  // namespace
}  // namespace onefold::test
