// SPDX-License-Identifier: Apache-2.0
// Trees of sums of exponentials under the executor: the states that the host's operations make, and
// the answers that the host rounds.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <variant>
#include <vector>

#include "cuda/ordered/chunk_words.hpp"
#include "cuda/ordered/kernels.hpp"
#include "onefold/detail/log_sum.hpp"
#include "rounding/round_state.hpp"
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
      launch_log_sum_trees(gpu, simt::schedule::forward, there, n, to, nullptr, {});
      for (const simt::finding& f : gpu.report()) ADD_FAILURE() << f.text();
      ASSERT_EQ(chunk_word_list(to, to + wanted.size()), wanted)
          << "ONEFOLD_TEST_SEED=" << seed() << ": " << chunks << " chunks, kind " << kind;
    }
}

// The outcome of the host: its tree, and its rounding.
struct outcome {
  status_code code;
  std::uint64_t bits[4];  // f16, bf16, f32, f64
  std::int64_t state[5];  // without the count

  friend bool operator==(const outcome&, const outcome&) = default;
};
constexpr dtype types[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};
constexpr std::uint64_t unwritten = 0xA5A5A5A5A5A5A5A5;

outcome rounded(const detail::log_sum& sum, nan_policy policy) {
  outcome made = {status_code::ok, {unwritten, unwritten, unwritten, unwritten}, {}};
  std::int64_t words[detail::log_sum::words], *next = words;
  sum.for_each_word([&](std::int64_t word) { *next++ = word; });
  std::copy_n(words + 1, 5, made.state);
  for (int i = 0; i < 4; ++i) {
    const auto done = round_state(op::logsumexp, any_state(sum), {dtype::f64, policy, 0},
                                  &made.bits[i], types[i]);
    if (!done) made.code = done.code();
  }
  return made;
}

detail::log_sum root_of(const chunk_word_list& words, std::int64_t n) {
  const float_environment sound;
  chunk_tree above{ordered_state(detail::log_sum())};
  for (std::int64_t c = 0; c < std::int64_t(words.size()) / 4; ++c)
    above.push(state_of(words, n, c));
  return std::get<detail::log_sum>(above.value());
}

// After a launch whose status is `before`: 0, or that of an answer that was not written. The first
// of the launches overwrites it.
outcome run(const chunk_word_list& words, std::int64_t n, nan_policy policy, bool is_first,
            std::int32_t before, simt::schedule order) {
  simt::device gpu;
  const auto trees = words.size() / 4 / std::size_t(tree_chunks) + 1;
  const auto* const there = gpu.memory().copy(std::span<const std::int64_t>(words), "words");
  auto* const to = gpu.memory().allocate<std::int64_t>(trees * 6, "to");
  const std::vector<std::uint64_t> none(4, unwritten);
  const std::vector<unsigned> zero(1);
  auto* const answers = gpu.memory().copy(std::span<const std::uint64_t>(none), "answers");
  auto* const status = gpu.memory().copy(std::span<const std::int32_t>(&before, 1), "status");
  auto* const ticket = gpu.memory().copy(std::span<const unsigned>(zero), "ticket");
  cuda::finish_list list;
  list.size = 4, list.nan = policy, list.is_first = is_first, list.status = status;
  for (int i = 0; i < 4; ++i) list.answers[i] = {&answers[i], op::logsumexp, types[i]};
  launch_log_sum_trees(gpu, order, there, n, to, ticket, list);
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << f.text();
  EXPECT_EQ(*ticket, 0u);
  outcome made = {status_code(*status), {}, {}};
  std::copy_n(answers, 4, made.bits), std::copy_n(to + 1, 5, made.state);
  return made;
}

// 4096 chunks and more take a third level; shuffled blocks end in another order.
TEST(Trees, RoundAnswersAsTheHostDoes) {
  std::uint64_t index = 0;
  for (const std::int64_t chunks :
       {0, 1, 2, 3, 37, 63, 64, 65, 127, 128, 129, 200, 4095, 4096, 4097, 4161})
    for (int kind = 0; kind < 5; ++kind) {
      random_source random = source_of(351, ++index);
      if (chunks > 200 && kind != int(chunks) % 5) continue;
      const chunk_word_list words = make_words(random, chunks, kind);
      const std::int64_t last = std::int64_t(random.below(chunk_items)) + 1;
      const std::int64_t n = chunks == 0 ? 0 : (chunks - 1) * std::int64_t(chunk_items) + last;
      const detail::log_sum root = root_of(words, n);
      const auto order = random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse;
      for (const nan_policy policy : {nan_policy::propagate, nan_policy::omit, nan_policy::error})
        ASSERT_EQ(run(words, n, policy, true, 7, order), rounded(root, policy))
            << "ONEFOLD_TEST_SEED=" << seed() << ": " << chunks << " chunks, kind " << kind
            << ", policy " << int(policy);
    }
}

// One chunk with a NaN, one with +Inf, none with a finite element.
TEST(Trees, KnowChunksOfSpecialsAlone) {
  for (const std::int64_t chunks : {1, 64, 70, 130})
    for (const int special : {0, 1, 2, 3}) {
      chunk_word_list words(std::size_t(4 * chunks));
      const auto at = std::size_t(4 * (chunks - 1));
      words[at + 2] = special & 1, words[at + 3] = special >> 1;
      const std::int64_t n = chunks * std::int64_t(chunk_items);
      const detail::log_sum root = root_of(words, n);
      for (const nan_policy policy : {nan_policy::propagate, nan_policy::omit, nan_policy::error})
        EXPECT_EQ(run(words, n, policy, true, 7, simt::schedule::forward), rounded(root, policy))
            << chunks << " chunks, specials " << special << ", policy " << int(policy);
    }
}

// A launch that is not the first keeps what those before it report.
TEST(Trees, ReportTheFirstStatus) {
  const chunk_word_list nan = {0, 0, 1, 0}, fine = {0, chunk_word(1.0), 0, 0};
  const auto code = [](const chunk_word_list& words, bool is_first, status_code before) {
    return run(words, 5, nan_policy::error, is_first, int(before), simt::schedule::forward).code;
  };
  for (const bool is_first : {true, false}) {
    EXPECT_EQ(code(nan, is_first, status_code::ok), status_code::not_a_number);
    EXPECT_EQ(code(fine, is_first, status_code::ok), status_code::ok);
    EXPECT_EQ(code(nan, is_first, status_code::overflow),
              is_first ? status_code::not_a_number : status_code::overflow);
    EXPECT_EQ(code(fine, is_first, status_code::overflow),
              is_first ? status_code::ok : status_code::overflow);
  }
}

}  // namespace
}  // namespace onefold::test
