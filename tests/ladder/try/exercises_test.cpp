// SPDX-License-Identifier: Apache-2.0
// Every exercise fails as its README says, and its answer passes.

#include "tests/ladder/try/trying.hpp"

#include <unistd.h>

namespace onefold::ladder::test {
namespace {

const std::string room = "ladder/exercises/";

struct exercise {
  std::string name;
  std::string verdict;  ///< as given
  std::string op = "sum";
  std::optional<unsigned> grid{};
  std::optional<std::uint64_t> divergent_branches{};  ///< of the answer, as the exercises say
  std::optional<std::uint64_t> conflicts{};
};

const exercise exercises[] = {
    {"1_tail", "bounds, wrong value", "sum", {}, 3072},
    {"2_identity", "wrong identity, wrong value", "max"},
    {"3_strided", "race, wrong value", "sum", {}, 384},
    {"4_sequential", "wrong value", "sum", {}, {}, 0},
    {"5_first_add", "elements never read, wrong value", "sum", 32},
    {"6_last_warp", "race, wrong value"},
    {"7_grid_stride", "wrong value", "sum", 16},
    {"8_last_block", "race"},
};

try_report tried(const exercise& e, const std::string& file) {
  return test::tried({.file = file, .grid = e.grid, .op = e.op});
}

/// The code under "## name.cu" of answers.md.
std::string answer_to(const exercise& e) {
  const std::string answers = text_in(room + "answers.md");
  const std::string fence = "```";
  const std::size_t section = answers.find("## " + e.name + ".cu\n");
  const std::size_t begin = answers.find('\n', answers.find(fence, section)) + 1;
  return answers.substr(begin, answers.find(fence, begin) - begin);
}

/// The exercise with its marked line replaced.
std::string solved(const exercise& e) {
  std::string text = text_in(room + e.name + ".cu");
  const std::size_t mark = text.find("  // <- your line");
  EXPECT_NE(mark, std::string::npos) << e.name;
  const std::size_t begin = text.rfind('\n', mark) + 1;
  return text.replace(begin, text.find('\n', mark) + 1 - begin, answer_to(e));
}

class every_exercise : public testing::TestWithParam<exercise> {};

TEST_P(every_exercise, fails_as_given_with_the_stated_verdict) {
  const try_report report = tried(GetParam(), room + GetParam().name + ".cu");
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_EQ(report.verdict(), GetParam().verdict) << text_of(report);
}

TEST_P(every_exercise, is_right_with_the_answer) {
  const auto file =
      std::filesystem::temp_directory_path() / (GetParam().name + std::to_string(getpid()) + ".cu");
  std::ofstream(file) << solved(GetParam());
  const try_report report = tried(GetParam(), file.string());
  std::filesystem::remove(file);
  EXPECT_EQ(report.verdict(), "right") << text_of(report);
  ASSERT_TRUE(report.counts.has_value());
  const simt::counts& c = *report.counts;
  const exercise& e = GetParam();
  EXPECT_EQ(c.divergent_branches, e.divergent_branches.value_or(c.divergent_branches));
  const std::uint64_t conflicts = c.shared_load.conflicts + c.shared_store.conflicts;
  EXPECT_EQ(conflicts, e.conflicts.value_or(conflicts));
}

TEST_P(every_exercise, is_in_the_readme_with_its_command_and_verdict) {
  const exercise& e = GetParam();
  std::string command = "`onefold-ladder try " + e.name + ".cu";
  if (e.op != "sum") command += " --op " + e.op;
  if (e.grid) command += " --grid " + std::to_string(*e.grid);
  EXPECT_NE(text_in(room + "README.md").find(command + "` | " + e.verdict + " |"),
            std::string::npos)
      << command;
}

INSTANTIATE_TEST_SUITE_P(ladder, every_exercise, testing::ValuesIn(exercises),
                         [](const auto& chosen) { return "exercise_" + chosen.param.name; });

}  // namespace
}  // namespace onefold::ladder::test
