// SPDX-License-Identifier: Apache-2.0
// Sums of exponentials over ranks, under the executor: the ranks' bands, of which the test takes
// the maximum, and their groups in it, which it adds, are rounded to the answers of one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "collective/parts.hpp"
#include "cuda/kernels/ranks/kernels.hpp"
#include "onefold/detail/additive.hpp"
#include "onefold/onefold.hpp"
#include "simt/device.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::add_words;
using onefold::test::any_elements;
using onefold::test::as_float;
using onefold::test::bits_of;
using onefold::test::chopped;
using onefold::test::combine;
using onefold::test::greater_word;
using onefold::test::ieee;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;
using onefold::test::state_of;
using onefold::test::word_group;

/// Elements of all ranks: of one band; about the bounds of two; of some bands, of which few
/// elements have the highest; one of them finite, or none; with NaNs, or with a +Inf; anything.
enum class family { one_band, meeting, several, single, none, nans, infinity, any };
constexpr family families[] = {family::one_band, family::meeting, family::several,  family::single,
                               family::none,     family::nans,    family::infinity, family::any};

template <class T>
T number(double x) {
  if constexpr (std::is_integral_v<T>)
    return T(x);
  else
    return chopped<T>(x);
}

// Integers have no specials.
template <class T>
T special(bool negative, bool nan) {
  if constexpr (std::is_integral_v<T>)
    return T(negative ? -600 : 600);
  else if (nan)
    return as_float<T>(ieee<T>::nan);
  else
    return as_float<T>(bits_of<T>(ieee<T>::infinity | (negative ? ieee<T>::sign : 0)));
}

template <class T>
std::vector<T> elements_of(random_source& random, family given_family, std::size_t n) {
  const double centre = 512 * random.between(-3, 3);
  std::vector<T> x(n);
  for (T& each : x) {
    each = number<T>(centre + 500 * random.unit() - 250);
    if (given_family == family::meeting) each = number<T>(centre + 256 + random.between(-2, 2));
    if (given_family == family::several && !random.one_in(8))
      each = number<T>(centre - 512 * random.between(0, 3) + 400 * random.unit() - 200);
    if (given_family == family::single || given_family == family::none)
      each = special<T>(true, false);
    if (given_family == family::nans && random.one_in(8)) each = special<T>(false, true);
  }
  if (n > 0 && given_family == family::single) x[random.below(n)] = number<T>(centre + 3);
  if (n > 0 && given_family == family::infinity) x[random.below(n)] = special<T>(false, false);
  if (given_family != family::any) return x;
  std::vector<T> any;
  while (any.size() < n) {
    const auto more = any_elements<T>(random, n + 1);
    any.insert(any.end(), more.begin(), more.end());
  }
  any.resize(n);
  return any;
}

/// The words of a rank, in the executor's memory.
struct rank_words {
  std::int64_t *states, *bands, *groups;
};

/// Some arrays of n elements, an answer each, of which every rank has a part, in pieces.
template <class T>
class bands_trial {
 public:
  bands_trial(random_source& random, family family, int ranks, std::int64_t answers, std::size_t n)
      : pieces_(random.between(1, 3)), blocks_(unsigned(random.between(1, 3))) {
    for (std::int64_t k = 0; k < answers; ++k)
      arrays_.push_back(
          elements_of<T>(random, k == 0 ? family : families[random.below(std::size(families))], n));
    for (int i = 1; i < ranks * pieces_; ++i) cuts_.push_back(random.below(n + 1));
    cuts_.insert(cuts_.end(), {0, n});
    std::sort(cuts_.begin(), cuts_.end());
    of_.accumulator = accumulator::exponentials, of_.input = dtype_of<T>, of_.answers = answers;
    of_.signature = onefold::detail::additive_signature(op::logsumexp, dtype_of<T>);
    of_.finish.nan = nan_policy(random.below(3));
    said_ = std::string(name(dtype_of<T>)) + ", family " + std::to_string(int(family)) + ", " +
            std::to_string(ranks) + " ranks, ONEFOLD_TEST_SEED=" + std::to_string(seed());
    for (int rank = 0; rank < ranks; ++rank) all_.push_back(words_of(rank));
  }

  /// Exchanges the words of all ranks; forgets_bands: but for their bands.
  void exchange(bool forgets_bands = false) {
    for (const rank_words& own : all_)
      write_group_bands(gpu_, of_, own.states, pieces_, own.bands, blocks_);
    // Words without finite elements are of band 0.
    const auto band = [](std::int64_t own) { return own == onefold::detail::no_band ? 0 : own; };
    one_band_ = true;
    for (const rank_words& own : all_)
      for (std::size_t k = 0; k < arrays_.size(); ++k)
        one_band_ = one_band_ && band(own.bands[k]) == band(all_[0].bands[k]);
    if (!forgets_bands) combine_all(&rank_words::bands, arrays_.size(), greater_word);
    for (const rank_words& own : all_)
      ASSERT_TRUE(write_groups(gpu_, of_, own.states, pieces_, own.bands, own.groups, blocks_));
    combine_all(&rank_words::groups, arrays_.size() * group_words(), add_words);
  }
  /// Whether the words of all ranks were of the same bands before.
  bool had_one_band() const { return one_band_; }

  void expect_answers(dtype output) {
    for (const rank_words& own : all_) {
      const std::vector<unsigned char> got = rounded(own, output);
      bool fine = true;
      for (std::size_t k = 0; k < arrays_.size(); ++k) {
        std::vector<unsigned char> wanted(size_bytes(output), 0xA5);
        options how;
        how.nan_policy = of_.finish.nan;
        const status done = reduce(executor::cpu{1}, op::logsumexp, {array_view(arrays_[k])},
                                   output_view(wanted.data(), output), how);
        EXPECT_EQ(std::vector<unsigned char>(&got[k * wanted.size()],
                                             &got[k * wanted.size()] + wanted.size()),
                  wanted)
            << "answer " << k << " of " << said_;
        fine = fine && done.ok();
      }
      EXPECT_EQ(code_, int(fine ? status_code::ok : status_code::not_a_number)) << said_;
    }
  }

  void expect_mismatch() {
    rounded(all_[0], dtype::f64);
    EXPECT_EQ(code_, int(status_code::mismatch)) << said_;
  }

 private:
  std::size_t group_words() const {
    return std::size_t(additive_word_count(op::logsumexp, of_.input));
  }

  // Null where a rank has no elements, as the host asks for.
  rank_words words_of(int rank) {
    const std::size_t first = std::size_t(rank * pieces_);
    word_group words;
    for (const auto& x : arrays_)
      for (std::size_t i = first; i < first + std::size_t(pieces_); ++i)
        std::visit(
            [&](const auto& known) {
              if constexpr (requires { known.band_key(); })
                known.for_each_word([&](std::int64_t word) { words.push_back(word); });
            },
            onefold::detail::state_access::known(
                state_of(op::logsumexp, x, cuts_[i], cuts_[i + 1])));
    const bool empty = cuts_[first] == cuts_[first + std::size_t(pieces_)] && pieces_ == 1;
    return {
        empty ? nullptr : gpu_.memory().copy(std::span<const std::int64_t>(words), "states"),
        gpu_.memory().template allocate<std::int64_t>(arrays_.size(), "bands"),
        gpu_.memory().template allocate<std::int64_t>(arrays_.size() * group_words(), "groups")};
  }

  template <class Combine>
  void combine_all(std::int64_t* rank_words::*words, std::size_t count, const Combine& how) {
    word_group all(all_[0].*words, all_[0].*words + count);
    for (std::size_t rank = 1; rank < all_.size(); ++rank)
      combine(all, word_group(all_[rank].*words, all_[rank].*words + count), how);
    for (const rank_words& own : all_) std::copy(all.begin(), all.end(), own.*words);
  }

  std::vector<unsigned char> rounded(const rank_words& own, dtype output) {
    const std::vector<unsigned char> before(arrays_.size() * size_bytes(output), 0xA5);
    const std::int32_t none = 0;
    group_request request = of_;
    request.finish.size = 1;
    request.finish.answers[0] = {
        gpu_.memory().copy(std::span<const unsigned char>(before), "answers"), op::logsumexp,
        output};
    request.finish.status = gpu_.memory().copy(std::span<const std::int32_t>(&none, 1), "status");
    EXPECT_TRUE(round_groups(gpu_, request, own.groups, blocks_));
    for (const simt::finding& f : gpu_.report()) ADD_FAILURE() << f.text() << said_;
    code_ = *request.finish.status;
    const auto* const at = static_cast<const unsigned char*>(request.finish.answers[0].to);
    return {at, at + before.size()};
  }

  simt::device gpu_;
  group_request of_;
  std::int64_t pieces_;
  unsigned blocks_;
  std::vector<std::vector<T>> arrays_;
  std::vector<std::size_t> cuts_;
  std::vector<rank_words> all_;
  std::string said_;
  bool one_band_ = true;
  int code_ = 0;
};

template <class T>
void expect_one_process(std::uint64_t stream) {
  constexpr dtype floats[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};
  random_source random = source_of(stream, std::uint64_t(dtype_of<T>));
  for (const family kind : families)
    for (const int ranks : {1, 2, 3, 8}) {
      bands_trial<T> trial(random, kind, ranks, random.between(1, 4), random.below(30));
      trial.exchange();
      trial.expect_answers(random.one_in(2) ? default_output(op::logsumexp, dtype_of<T>)
                                            : floats[random.below(4)]);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(cuda_ranks, exponentials_have_the_answers_of_one_process) {
  expect_one_process<f16>(45), expect_one_process<bf16>(45);
  expect_one_process<float>(45), expect_one_process<double>(45);
  expect_one_process<std::int16_t>(45), expect_one_process<std::int64_t>(45);
}

// What ranks have to be raised to the highest band for.
TEST(cuda_ranks, exponentials_that_forget_the_highest_band_are_refused) {
  random_source random = source_of(46, 0);
  int mixed = 0;
  for (int repeat = 0; repeat < 40; ++repeat) {
    bands_trial<float> trial(random, family::several, 3, 1, 20);
    trial.exchange(true);
    mixed += !trial.had_one_band();
    if (!trial.had_one_band()) trial.expect_mismatch();
  }
  EXPECT_GT(mixed, 0);
}

}  // namespace
}  // namespace onefold::cuda::test
