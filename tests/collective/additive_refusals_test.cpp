// SPDX-License-Identifier: Apache-2.0
// Words that were not written by to_additive, or do not belong together, are refused by name.
#include <gtest/gtest.h>

#include <cmath>

#include "collective/parts.hpp"
#include "onefold/detail/additive.hpp"
#include "state/element_types.hpp"

namespace onefold::test {
namespace {

word_group words_of(op op, dtype input) {
  return to_additive(state(op, input));
}

void expect_refused(const word_group& words, status_code code, const std::string& says) {
  const auto done = from_additive(words);
  ASSERT_FALSE(done.ok()) << says;
  EXPECT_EQ(done.why().code(), code) << done.why().message();
  EXPECT_NE(done.why().message().find(says), std::string::npos) << done.why().message();
}

TEST(additive_form_refusals, find_every_two_types_that_were_added) {
  int pairs = 0;
  for (const op one : all_ops)
    for (const op other : all_ops)
      for (const dtype a : all_dtypes)
        for (const dtype b : all_dtypes) {
          if (!check_element_type(one, a) || !check_element_type(other, b)) continue;
          const int words = additive_word_count(one, a);
          if (words == 0 || words != additive_word_count(other, b)) continue;
          word_group sum = words_of(one, a);
          combine(sum, words_of(other, b), add_words);
          const auto done = from_additive(sum);
          if (one == other && a == b) {
            EXPECT_TRUE(done.ok()) << done.why().message();
          } else {
            ASSERT_FALSE(done.ok()) << name(one) << " and " << name(other);
            EXPECT_EQ(done.why().code(), status_code::mismatch);
            ++pairs;
          }
        }
  EXPECT_GT(pairs, 1000);
}

// The proof needs no luck: mixtures whose mean is a signature too.
TEST(additive_form_refusals, find_mixtures_of_every_kind) {
  for (std::uint64_t k = 0; k < 20000; ++k) {
    random_source random = source_of(3400, k);
    std::int64_t words[3] = {}, signatures[4];
    const int kinds = random.between(1, 4);
    bool one = true;
    const std::int64_t middle = random.between(1 << 10, detail::most_additive_signature - 60);
    for (int i = 0; i < kinds; ++i) {
      signatures[i] = middle + random.between(-3, 3);
      one = one && signatures[i] == signatures[0];
      const auto groups =
          std::int64_t(random.one_in(2) ? 1 + random.below(3) : 1 + random.below(INT32_MAX / 4));
      std::int64_t group[3];
      detail::write_additive_header(group, signatures[i]);
      for (int w = 0; w < 3; ++w) words[w] += groups * group[w];
    }
    ASSERT_EQ(detail::read_additive_header(words), one ? signatures[0] : 0)
        << "ONEFOLD_TEST_SEED=" << seed() << ", case " << k;
  }
}

TEST(additive_form_refusals, name_the_version) {
  word_group words = words_of(op::sum, dtype::f32);
  const std::int64_t later = words[1] + (1 << 10);
  const word_group forged = [&] {
    word_group group = words;
    group[1] = later, group[2] = later * later;
    return group;
  }();
  expect_refused(forged, status_code::malformed, "their version is 2");
  combine(words, forged, add_words);
  expect_refused(words, status_code::mismatch, "versions were added");
}

TEST(additive_form_refusals, count_words) {
  word_group words = words_of(op::sum, dtype::f64);
  words.pop_back();
  expect_refused(words, status_code::malformed, "75 words for sum of f64, which has 76");
  words.resize(77);
  expect_refused(words, status_code::malformed, "77 words");
  words.resize(2);
  expect_refused(words, status_code::malformed, "number of groups");
  expect_refused({}, status_code::malformed, "number of groups");
  expect_refused(word_group(76), status_code::malformed, "number of groups");
  EXPECT_EQ(try_negate_additive(words).code(), status_code::malformed);
}

TEST(additive_form_refusals, count_groups) {
  word_group words = words_of(op::count, dtype::f64);
  for (std::int64_t& word : words) word *= INT32_MAX;
  EXPECT_TRUE(from_additive(words).ok());
  combine(words, words_of(op::count, dtype::f64), add_words);
  expect_refused(words, status_code::overflow, "2^31 groups");
}

TEST(additive_form_refusals, find_words_that_no_elements_have) {
  const std::vector<float> x = {1, -2, 3};
  const word_group words = to_additive(partial(op::sum, x));
  constexpr std::size_t limbs = 3, counts = 15;
  for (const auto& [index, word] :
       std::vector<std::pair<std::size_t, std::int64_t>>{{counts, -1},
                                                         {counts, 0},
                                                         {counts + 1, 4},
                                                         {counts + 2, -1},
                                                         {counts + 4, 0},
                                                         {limbs + 11, 1},
                                                         {limbs + 11, std::int64_t(1) << 31}}) {
    word_group changed = words;
    changed[index] = word;
    expect_refused(changed, status_code::mismatch, "no elements have these words");
  }
  for (const op op : {op::norm1, op::norm2, op::sumsq}) {
    word_group less = to_additive(partial(op, std::vector<float>{3}));
    EXPECT_TRUE(try_negate_additive(less).ok());
    combine(less, to_additive(partial(op, std::vector<float>{1, 1})), add_words);
    expect_refused(less, status_code::mismatch, "no elements have these words");
  }
  word_group removed = to_additive(partial(op::sum, std::vector<float>{1, 2, 3, 4}));
  ASSERT_TRUE(try_negate_additive(removed).ok());
  combine(removed, words, add_words);
  expect_refused(removed, status_code::mismatch, "removed that are not there");
}

TEST(additive_form_refusals, name_operators_that_are_no_sums) {
  const auto refused = [](op op, const std::string& says) {
    const auto done = try_to_additive(state(op, dtype::i32));
    EXPECT_EQ(done.why().code(), status_code::unsupported);
    EXPECT_NE(done.why().message().find(std::string(name(op)) + " is no sum"), std::string::npos);
    EXPECT_NE(done.why().message().find(says), std::string::npos) << done.why().message();
    EXPECT_THROW(to_additive(state(op, dtype::i32)), error);
  };
  refused(op::argmax, "extrema_keys"), refused(op::prod, "merge_gathered");
  word_group bits = words_of(op::bit_and, dtype::i32);
  EXPECT_EQ(try_negate_additive(bits).code(), status_code::unsupported);
  EXPECT_EQ(bits, words_of(op::bit_and, dtype::i32)) << "is left as it was";
}

}  // namespace
}  // namespace onefold::test
