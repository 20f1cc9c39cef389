// SPDX-License-Identifier: Apache-2.0
// The kernels that exchange extrema, under the executor: the maxima of the ranks' words are rounded
// to the answers of one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collective/parts.hpp"
#include "cuda/kernels/ranks/kernels.hpp"
#include "onefold/detail/additive.hpp"
#include "onefold/onefold.hpp"
#include "simt/device.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::any_elements;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;
using word_list = std::vector<std::int64_t>;

/// Some arrays, an answer each, in parts: one piece of one rank each.
template <class T>
class extrema_trial {
 public:
  extrema_trial(random_source& random, op operation, int ranks, int pieces, std::int64_t answers)
      : what_(operation), pieces_(pieces) {
    of_ = {dtype_of<T>, onefold::detail::additive_signature(operation, dtype_of<T>), answers, ranks,
           0,           operation == op::argmin || operation == op::argmax,          {}};
    of_.finish.first_index = random.between(0, 5), of_.finish.nan = nan_policy(random.below(3));
    for (std::int64_t k = 0; k < answers; ++k) {
      auto x = any_elements<T>(random, 60);
      if (k > 0) x.resize(arrays_[0].size(), x.empty() ? T{} : x[0]);  // ranks have whole rows
      arrays_.push_back(x);
    }
    cuts_ = {0, arrays_[0].size()};
    for (int i = 1; i < ranks * pieces; ++i) cuts_.push_back(random.below(cuts_[1] + 1));
    std::sort(cuts_.begin(), cuts_.end());
  }

  void expect_answers(unsigned blocks) {
    const std::size_t ranks = std::size_t(of_.ranks), answers = std::size_t(of_.answers);
    std::vector<extrema_words> all;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      all.push_back(
          {gpu_.memory().allocate<onefold::detail::extrema>(answers, "merged"),
           gpu_.memory().allocate<std::int64_t>(std::size_t(key_words(of_)), "keys"),
           gpu_.memory().allocate<std::int64_t>(answers * words_of_positions, "positions")});
      const word_list words = words_of(int(rank));
      write_extrema_keys(gpu_, rank_request(int(rank)),
                         gpu_.memory().copy(std::span<const std::int64_t>(words), "words"), pieces_,
                         all.back(), blocks);
    }
    combine(all, &extrema_words::keys, key_words(of_));
    for (std::size_t rank = 0; rank < ranks && of_.positions; ++rank)
      write_extrema_positions(gpu_, rank_request(int(rank)), all[rank], blocks);
    if (of_.positions) combine(all, &extrema_words::positions, position_words(of_));
    for (std::size_t rank = 0; rank < ranks; ++rank)
      round(rank_request(int(rank)), all[rank], blocks);
  }

 private:
  extrema_request rank_request(int rank) const {
    extrema_request made = of_;
    made.rank = rank;
    return made;
  }

  // Positions of a piece count from the first element of its rank.
  word_list words_of(int rank) const {
    word_list words;
    const std::size_t first = std::size_t(rank * pieces_);
    for (const auto& x : arrays_)
      for (std::size_t i = first; i < first + std::size_t(pieces_); ++i) {
        onefold::detail::extrema part;
        for (std::size_t j = cuts_[i]; j < cuts_[i + 1]; ++j)
          part.add(x[j], std::int64_t(j - cuts_[first]));
        part.for_each_word([&](std::int64_t word) { words.push_back(word); });
      }
    return words;
  }

  static void combine(const std::vector<extrema_words>& all, std::int64_t* extrema_words::*words,
                      std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t most = (all[0].*words)[i];
      for (const extrema_words& each : all) most = std::max(most, (each.*words)[i]);
      for (const extrema_words& each : all) (each.*words)[i] = most;
    }
  }

  void round(extrema_request request, const extrema_words& words, unsigned blocks) {
    const dtype output = default_output(what_, dtype_of<T>);
    const std::size_t size = size_bytes(output) * (what_ == op::minmax ? 2 : 1);
    const std::vector<unsigned char> before(arrays_.size() * size, 0xA5);
    const std::int32_t none = 0;
    request.finish.size = 1;
    request.finish.answers[0] = {
        gpu_.memory().copy(std::span<const unsigned char>(before), "answers"), what_, output};
    request.finish.status = gpu_.memory().copy(std::span<const std::int32_t>(&none, 1), "status");
    round_extrema(gpu_, request, words, blocks);
    const std::string said = std::string(name(what_)) + " of " + std::string(name(dtype_of<T>)) +
                             ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
    for (const simt::finding& f : gpu_.report()) ADD_FAILURE() << f.text() << said;
    options how;
    how.first_index = request.finish.first_index, how.nan_policy = request.finish.nan;
    bool fine = true;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      std::vector<unsigned char> wanted(size, 0xA5);
      axis_list two;
      if (what_ == op::minmax) two.push_back({2, std::int64_t(size_bytes(output))});
      const array_view x(arrays_[k].data(), dtype_of<T>,
                         {{std::int64_t(arrays_[k].size()), std::int64_t(sizeof(T))}});
      const status done = reduce(executor::cpu{1}, op_list(what_), {x},
                                 {output_view(wanted.data(), output, two)}, how);
      fine = fine && done.ok();
      const auto* const got = static_cast<unsigned char*>(request.finish.answers[0].to) + k * size;
      EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), got)) << "answer " << k << ", " << said;
    }
    EXPECT_EQ(*request.finish.status == 0, fine) << said;
  }

  simt::device gpu_;
  extrema_request of_;
  op what_;
  int pieces_;
  std::vector<std::vector<T>> arrays_;
  std::vector<std::size_t> cuts_;
};

template <class T>
void expect_all() {
  random_source random = source_of(45, std::uint64_t(dtype_of<T>));
  for (const op op : {op::min, op::max, op::minmax, op::argmin, op::argmax, op::norminf})
    for (int repeat = 0; repeat < 3; ++repeat)
      extrema_trial<T>(random, op, random.between(1, 5), random.between(1, 3), random.between(1, 4))
          .expect_answers(unsigned(random.between(1, 2)));
}

TEST(cuda_ranks, extrema_of_floats) {
  expect_all<f16>(), expect_all<bf16>(), expect_all<float>(), expect_all<double>();
}

TEST(cuda_ranks, extrema_of_integers) {
  expect_all<std::int8_t>(), expect_all<std::int16_t>();
  expect_all<std::int32_t>(), expect_all<std::int64_t>(), expect_all<std::uint8_t>();
  expect_all<std::uint16_t>(), expect_all<std::uint32_t>(), expect_all<std::uint64_t>();
}

}  // namespace
}  // namespace onefold::cuda::test
