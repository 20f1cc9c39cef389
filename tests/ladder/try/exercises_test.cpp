// SPDX-License-Identifier: Apache-2.0
// Every exercise of the course fails as it is given, and its answer passes.

#include "tests/ladder/try/trying.hpp"

#include "ladder/learn/lesson.hpp"

#include <unistd.h>

namespace onefold::ladder::test {
namespace {

const std::string folder = "ladder/exercises/";

std::string stem(const lesson& l) {
  return std::string(l.file.substr(0, l.file.rfind('.')));
}

try_report tried(const lesson& l, const std::string& file) {
  try_options options;
  options.file = file;
  options.op = l.op;
  if (l.grid != 0) options.grid = l.grid;
  return test::tried(options);
}

/// The exercise with its marked line replaced.
std::string solved(const lesson& l) {
  std::string text(exercise_text(l));
  const std::size_t mark = text.find("  // <- your line");
  EXPECT_NE(mark, std::string::npos) << l.file;
  const std::size_t begin = text.rfind('\n', mark) + 1;
  return text.replace(begin, text.find('\n', mark) + 1 - begin, answer_to(l));
}

try_report tried_with_answer(const lesson& l) {
  const auto file =
      std::filesystem::temp_directory_path() / (stem(l) + std::to_string(getpid()) + ".cu");
  std::ofstream(file) << solved(l);
  const try_report report = tried(l, file.string());
  std::filesystem::remove(file);
  return report;
}

class every_exercise : public testing::TestWithParam<lesson> {};

TEST_P(every_exercise, fails_as_given_with_the_stated_verdict) {
  const lesson& l = GetParam();
  const try_report report = tried(l, folder + std::string(l.file));
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_EQ(report.verdict(), l.as_given) << text_of(report);
}

TEST_P(every_exercise, is_right_and_at_its_goal_with_the_answer) {
  const lesson& l = GetParam();
  const try_report report = tried_with_answer(l);
  EXPECT_EQ(report.verdict(), "right") << text_of(report);
  ASSERT_TRUE(report.counts.has_value());
  if (l.goal.met != nullptr) {
    EXPECT_TRUE(l.goal.met(*report.counts)) << l.goal.counted(*report.counts);
  }
}

TEST(exercises, name_the_divergent_branches_of_both_trees_in_the_third_goal) {
  const std::string says(lessons()[2].goal.says);
  for (const std::size_t i : {0, 2}) {
    const try_report report = tried_with_answer(lessons()[i]);
    ASSERT_TRUE(report.counts.has_value());
    const std::uint64_t counted = report.counts->divergent_branches;
    EXPECT_NE(says.find(std::to_string(counted)), std::string::npos) << says << ": " << counted;
  }
}

INSTANTIATE_TEST_SUITE_P(ladder, every_exercise, testing::ValuesIn(lessons()),
                         [](const auto& chosen) { return "exercise_" + stem(chosen.param); });

}  // namespace
}  // namespace onefold::ladder::test
