// SPDX-License-Identifier: Apache-2.0
// The kernels that exchange states, under the executor: groups of words are those of the library's
// states, and sums of groups are rounded to the bits and the codes of the host.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "collective/parts.hpp"
#include "cuda/kernels/ranks/kernels.hpp"
#include "onefold/collective.hpp"
#include "onefold/detail/additive.hpp"
#include "rounding/answer.hpp"
#include "rounding/round_state.hpp"
#include "simt/device.hpp"
#include "state/element_types.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::add_words;
using onefold::test::any_cuts;
using onefold::test::any_elements;
using onefold::test::combine;
using onefold::test::highest_band;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;
using onefold::test::state_of;
using onefold::test::word_group;
using state_access = onefold::detail::state_access;

std::string text_of(op op, dtype type) {
  return std::string(name(op)) + " of " + std::string(name(type)) +
         ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
}

void expect_no_findings(simt::device& gpu, const std::string& said) {
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << f.text() << said;
}

std::vector<op> ops_of(dtype type) {
  std::vector<op> made;
  for (const op op : all_ops)
    if (check_element_type(op, type) && additive_word_count(op, type) > 0) made.push_back(op);
  return made;
}

group_request request_of(op op, dtype type, std::int64_t answers) {
  return {accumulator_of(op), type, detail::additive_signature(op, type), answers, {}};
}

void append_words(word_group& to, const state& from) {
  std::visit(
      [&](const auto& known) {
        if constexpr (requires { known.for_each_word([](std::int64_t) {}); })
          known.for_each_word([&](std::int64_t word) { to.push_back(word); });
      },
      state_access::known(from));
}

// Answers in pieces, each a part of its own random array; of logsumexp in the highest band of the
// pieces, or in one of another rank.
template <class T>
void expect_groups(random_source& random, op op) {
  const dtype type = dtype_of<T>;
  const std::int64_t answers = random.between(1, 4);
  const std::int64_t pieces = random.one_in(6) ? random.between(30, 70) : random.between(1, 3);
  word_group words, wanted, bands, highest;
  for (std::int64_t k = 0; k < answers; ++k) {
    std::vector<state> parts;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const auto x = any_elements<T>(random, 40);
      parts.push_back(state_of(op, x, 0, x.size()));
      append_words(words, parts.back());
    }
    bands.push_back(highest_band(parts));
    const auto others = any_elements<T>(random, 4);
    highest.push_back(
        random.one_in(2)
            ? bands.back()
            : std::max(bands.back(), highest_band({state_of(op, others, 0, others.size())})));
    word_group sum(std::size_t(additive_word_count(op, type)));
    for (const state& part : parts) combine(sum, to_additive(part, highest.back()), add_words);
    wanted.insert(wanted.end(), sum.begin(), sum.end());
  }
  simt::device gpu;
  const group_request request = request_of(op, type, answers);
  const auto blocks = unsigned(random.between(1, 3));
  const auto copied = [&](const word_group& from, const char* name) {
    return gpu.memory().copy(std::span<const std::int64_t>(from), name);
  };
  const std::int64_t* const there = copied(words, "words");
  if (has_bands(request.accumulator)) {
    auto* const found = gpu.memory().allocate<std::int64_t>(bands.size(), "bands");
    write_group_bands(gpu, request, there, pieces, found, blocks);
    EXPECT_EQ(word_group(found, found + bands.size()), bands) << text_of(op, type);
  }
  auto* const groups = gpu.memory().allocate<std::int64_t>(wanted.size(), "groups");
  ASSERT_TRUE(write_groups(
      gpu, request, there, pieces,
      has_bands(request.accumulator) ? copied(highest, "highest bands") : nullptr, groups, blocks));
  expect_no_findings(gpu, text_of(op, type));
  EXPECT_EQ(word_group(groups, groups + wanted.size()), wanted) << text_of(op, type);
}

template <class T>
void expect_empty_groups(op op) {
  const dtype type = dtype_of<T>;
  const word_group wanted = to_additive(state(op, type));
  simt::device gpu;
  auto* const groups = gpu.memory().allocate<std::int64_t>(wanted.size(), "groups");
  const group_request request = request_of(op, type, 1);
  auto* const bands = gpu.memory().allocate<std::int64_t>(1, "bands");
  if (has_bands(request.accumulator)) {
    write_group_bands(gpu, request, nullptr, 1, bands, 1);
    EXPECT_EQ(*bands, onefold::detail::no_band);
  }
  ASSERT_TRUE(write_groups(gpu, request, nullptr, 1,
                           has_bands(request.accumulator) ? bands : nullptr, groups, 1));
  expect_no_findings(gpu, text_of(op, type));
  EXPECT_EQ(word_group(groups, groups + wanted.size()), wanted) << text_of(op, type);
}

struct answer_bytes {
  unsigned char bytes[16];
};
constexpr answer_bytes blank = {{0xA5, 0xA5, 0xA5}};

/// Some answers of operators of one accumulator, which are not written yet.
class rounding_trial {
 public:
  rounding_trial(random_source& random, op op, dtype type, std::int64_t answers)
      : request_(request_of(op, type, answers)) {
    finish_list& list = request_.finish;
    list.nan = nan_policy(random.below(3)), list.correction = random.between(0, 2);
    list.size = int(random.between(1, finish_list::most));
    for (int i = 0; i < list.size; ++i) {
      do {
        list.answers[i].op = all_ops[random.below(all_ops.size())];
      } while (accumulator_of(list.answers[i].op) != request_.accumulator);
      list.answers[i].type = random.one_in(2) ? type : all_dtypes[random.below(13)];
      if (has_bands(request_.accumulator) && !is_floating(list.answers[i].type))
        list.answers[i].type = dtype::f32;  // no other answers are asked for
      const std::vector<unsigned char> before(std::size_t(answers) * sizeof(answer_bytes), 0xA5);
      list.answers[i].to = gpu_.memory().copy(std::span<const unsigned char>(before), "answers");
    }
    const std::int32_t none = 0;
    list.status = gpu_.memory().copy(std::span<const std::int32_t>(&none, 1), "status");
  }

  void run(const word_group& groups, unsigned blocks, const std::string& said) {
    ASSERT_TRUE(round_groups(gpu_, request_,
                             gpu_.memory().copy(std::span<const std::int64_t>(groups), "groups"),
                             blocks));
    expect_no_findings(gpu_, said);
  }

  void expect_answers(const std::vector<state>& states, const std::string& said) const {
    const finish_list& list = request_.finish;
    bool fine = true;
    for (int i = 0; i < list.size; ++i) {
      const finish_item& each = list.answers[i];
      const rounding_context how = {request_.input, list.nan, double(list.correction)};
      const std::size_t item = size_bytes(each.type);
      for (std::size_t k = 0; k < states.size(); ++k) {
        answer_bytes wanted = blank;
        std::fill_n(wanted.bytes, sizeof wanted, 0xA5);
        const auto done =
            round_state(each.op, state_access::known(states[k]), how, wanted.bytes, each.type);
        EXPECT_EQ(std::memcmp(static_cast<const char*>(each.to) + k * item, wanted.bytes, item), 0)
            << name(each.op) << " to " << name(each.type) << ", answer " << k << ", " << said;
        if (!done) {
          fine = false;
          if (states.size() == 1 && list.size == 1) {
            EXPECT_EQ(*list.status, int(done.code()));
          }
        }
      }
    }
    EXPECT_EQ(*list.status == 0, fine) << said;
  }

  void expect_refusal(const std::string& said) const {
    const finish_list& list = request_.finish;
    EXPECT_EQ(*list.status, int(status_code::mismatch)) << said;
    for (int i = 0; i < list.size; ++i) {
      answer_bytes wanted;
      std::fill_n(wanted.bytes, sizeof wanted, 0xA5);
      if (is_floating(list.answers[i].type)) write_rounded({}, wanted.bytes, list.answers[i].type);
      EXPECT_EQ(std::memcmp(list.answers[i].to, wanted.bytes, sizeof wanted), 0) << said;
    }
  }

 private:
  simt::device gpu_;
  group_request request_;
};

// The parts of arrays on several ranks.
template <class T>
void expect_answers(random_source& random, op op, std::uint64_t most) {
  const dtype type = dtype_of<T>;
  const std::int64_t answers = random.one_in(2) ? 1 : random.between(2, 4);
  std::vector<state> states;
  word_group groups;
  for (std::int64_t k = 0; k < answers; ++k) {
    const auto x = any_elements<T>(random, most);
    const auto cuts = any_cuts(random, x.size(), 5);
    std::vector<state> parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      parts.push_back(state_of(op, x, cuts[i], cuts[i + 1]));
    word_group sum(std::size_t(additive_word_count(op, type)));
    for (const state& part : parts) combine(sum, to_additive(part, highest_band(parts)), add_words);
    groups.insert(groups.end(), sum.begin(), sum.end());
    states.push_back(state_of(op, x, 0, x.size()));
  }
  const std::string said = text_of(op, type);
  rounding_trial trial(random, op, type, answers);
  trial.run(groups, unsigned(random.between(1, 3)), said);
  trial.expect_answers(states, said);
}

template <class T>
void expect_all(std::uint64_t stream) {
  random_source random = source_of(stream, std::uint64_t(dtype_of<T>));
  for (const op op : ops_of(dtype_of<T>)) {
    expect_empty_groups<T>(op);
    for (int repeat = 0; repeat < (sizeof(T) < 8 ? 4 : 2); ++repeat) {
      expect_groups<T>(random, op);
      expect_answers<T>(random, op, repeat == 0 ? 0 : 60);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(cuda_ranks, states_of_floats) {
  expect_all<f16>(41), expect_all<bf16>(41), expect_all<float>(41), expect_all<double>(41);
}

TEST(cuda_ranks, states_of_integers) {
  expect_all<std::int8_t>(42), expect_all<std::int16_t>(42);
  expect_all<std::int32_t>(42), expect_all<std::int64_t>(42), expect_all<std::uint8_t>(42);
  expect_all<std::uint16_t>(42), expect_all<std::uint32_t>(42), expect_all<std::uint64_t>(42);
}

// Of two operators with as many words, or of two bands; of 2^31 ranks; words that are none.
TEST(cuda_ranks, groups_that_do_not_belong_together_are_refused) {
  random_source random = source_of(43, 0);
  const std::vector<float> x = {1, 2, 3};
  for (const op operation : {op::sum, op::dot, op::var, op::count, op::logsumexp}) {
    const op other = operation == op::sum   ? op::mean
                     : operation == op::dot ? op::sumsq
                     : operation == op::var ? op::stddev
                                            : op::any;
    const word_group own = to_additive(state_of(operation, x, 0, 3));
    word_group mixed = own, many = own;
    combine(mixed,
            to_additive(operation == op::logsumexp ? partial(operation, std::vector<float>{1000})
                                                   : state_of(other, x, 0, 3)),
            add_words);
    for (auto& word : many) word <<= 31;
    for (const word_group& bad : {mixed, many, word_group(own.size())}) {
      rounding_trial trial(random, operation, dtype::f32, 1);
      trial.run(bad, 1, text_of(operation, dtype::f32));
      trial.expect_refusal(text_of(operation, dtype::f32));
    }
  }
}

TEST(cuda_ranks, states_that_do_not_add_have_no_kernel) {
  simt::device gpu;
  for (const op op : {op::max, op::prod}) {
    const group_request request = request_of(op, dtype::f64, 1);
    EXPECT_EQ(additive_word_count(op, dtype::f64), 0);
    EXPECT_FALSE(write_groups(gpu, request, nullptr, 1, nullptr, nullptr, 1));
    EXPECT_FALSE(round_groups(gpu, request, nullptr, 1));
  }
}

}  // namespace
}  // namespace onefold::cuda::test
