// SPDX-License-Identifier: Apache-2.0
// The exercises as data agree with their files, with the rungs and with the pages.

#include "ladder/learn/lesson.hpp"

#include "ladder/rung/rung.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace onefold::ladder::test {
namespace {

std::string text_in(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(ONEFOLD_SOURCE_ROOT) + "/" + file).rdbuf();
  return text.str();
}

std::size_t times_in(std::string_view text, std::string_view part) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++times;
  return times;
}

TEST(lessons, are_numbered_and_name_a_rung_that_runs) {
  unsigned number = 0;
  for (const lesson& l : lessons()) {
    EXPECT_EQ(l.number, ++number);
    const rung* r = find_rung(l.rung);
    ASSERT_NE(r, nullptr) << l.rung;
    EXPECT_TRUE(r->under_executor() && !r->published) << l.rung;
  }
}

TEST(lessons, have_the_text_of_their_file_with_one_marked_line) {
  for (const lesson& l : lessons()) {
    const std::string_view text = exercise_text(l);
    EXPECT_EQ(text, text_in("ladder/exercises/" + std::string(l.file)));
    EXPECT_EQ(times_in(text, "<- your line"), 1u) << l.file;
  }
}

TEST(lessons, leave_no_exercise_out) {
  const std::string readme = text_in("ladder/exercises/README.md");
  EXPECT_EQ(times_in(text_in("ladder/exercises/answers.md"), "\n## "), lessons().size());
  for (const lesson& l : lessons()) {
    EXPECT_NE(answer_to(l).find_first_not_of(" \n"), std::string::npos) << l.file;
    EXPECT_EQ(times_in(answer_to(l), "<- your line"), 0u) << l.file;
    EXPECT_NE(readme.find("`onefold-ladder " + try_command(l) + "` | " + std::string(l.as_given)),
              std::string::npos)
        << l.file;
  }
}

TEST(lessons, have_hints_for_the_verdict_of_the_file_as_given_and_for_any_other) {
  for (const lesson& l : lessons()) {
    const hint_branch& first = hints_for(l, l.as_given);
    EXPECT_FALSE(first.symptom.empty()) << l.file;
    EXPECT_GE(first.steps.size(), 3u) << l.file;
    EXPECT_TRUE(hints_for(l, "deadlock").symptom.empty()) << l.file;
    for (const hint_branch& branch : l.hints) {
      EXPECT_FALSE(branch.steps.empty()) << l.file;
      EXPECT_EQ(&hints_for(l, branch.symptom), &branch) << l.file << " " << branch.symptom;
    }
  }
}

TEST(lessons, say_what_a_right_answer_has_to_reach_only_if_they_test_it) {
  for (const lesson& l : lessons()) {
    EXPECT_EQ(l.goal.says.empty(), l.goal.met == nullptr) << l.file;
    EXPECT_EQ(l.goal.says.empty(), l.goal.counted == nullptr) << l.file;
  }
}

}  // namespace
}  // namespace onefold::ladder::test
