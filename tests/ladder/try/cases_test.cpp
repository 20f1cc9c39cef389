// SPDX-License-Identifier: Apache-2.0
// Kernels as learners bring them, each with its options and what try has to say of it: every file
// of cases/ begins with
//   // options: --block 16,16 --expect transpose
//   // verdict: race, wrong value
//   // says: a part of the report                    (if there is such a line)
// and marks the line of each kind of defect that is to be named with "// here: KIND".

#include "tests/ladder/try/trying.hpp"

#include <algorithm>

namespace onefold::ladder::test {
namespace {

constexpr const char* folder = "tests/ladder/try/cases";

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// What follows "// word: " in a file; empty: no such line.
std::string said(const std::string& file, const std::string& word) {
  std::istringstream text(text_in(file));
  const std::string start = "// " + word + ": ";
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return "";
}

/// The marks of a file: kinds of defects.
std::vector<std::string> marks_in(const std::string& file) {
  std::istringstream text(text_in(file));
  const std::string start = "// here: ";
  std::vector<std::string> marks;
  for (std::string line; std::getline(text, line);) {
    const std::size_t at = line.find(start);
    if (at != std::string::npos) marks.push_back(line.substr(at + start.size()));
  }
  return marks;
}

bool names_line(const try_report& report, const std::string& kind, const simt::location& place) {
  if (names(report, kind, place)) return true;
  if (kind == "refused") return report.message.starts_with(simt::to_string(place) + ": ");
  for (const try_run& run : report.runs) {
    if (kind == "wrong value" && run.wrong_place == place) return true;
  }
  return false;
}

class a_case : public testing::TestWithParam<std::string> {};

TEST_P(a_case, has_its_verdict_and_its_line) {
  const std::string& file = GetParam();
  try_options options = options_in(said(file, "options"));
  options.file = file;
  const try_report report = tried(options);
  const std::string text = text_of(report);
  EXPECT_EQ(report.verdict(), said(file, "verdict")) << text << json_of(report);
  for (const std::string& kind : marks_in(file)) {
    EXPECT_TRUE(names_line(report, kind, marked(file, kind))) << kind << "\n" << text;
  }
  EXPECT_NE(text.find(said(file, "says")), std::string::npos) << text;
  EXPECT_EQ(report.exit_code() == 0, report.verdict() == "right");
}

std::string name_of_case(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(of_the_folder, a_case, testing::ValuesIn(case_files()), name_of_case);

TEST(the_cases, are_sixty_at_least) {
  EXPECT_GE(case_files().size(), 60u);
}

}  // namespace
}  // namespace onefold::ladder::test
