// SPDX-License-Identifier: Apache-2.0
// The programs of ladder/host/ do under the executor what they say, in every schedule.

#include "tests/ladder/host/trying_programs.hpp"

#include <map>
#include <sstream>

namespace onefold::ladder::test {
namespace {

namespace fs = std::filesystem;
using lines = std::vector<std::string>;

/// What each prints, as far as it is the same on every machine.
const std::map<std::string, lines> printed = {
    {"block_sizes.cu",
     {"block    1: 4995", "block   32: 4995", "block 1024: 4995",
      "block   96: there is no kernel of this size; use a power of two up to 1024"}},
    {"cpu_loop.cu", {"a[i] = b[i] + c[i] for 100001 elements", "all of them: 50400000"}},
    {"drivers.cu",
     {"passes         2 launches,     4 bytes to the host",
      "second launch  2 launches,     4 bytes",
      "host           1 launches,   256 bytes to the host", " us: 32766\n"}},
    {"first_launch.cu", {"sum of 10000 values in 20 blocks: 495000\n"}},
    {"host_sum.cu",
     {"partials, exactly     41988035.000", "partials, in double   41988035.000, off by 0",
      "partials, in float    41988032.000, off by 3"}},
    {"passes.cu",
     {"     1 values, 1 passes: 3\n", "   128 values, 1 passes: 384\n",
      "   129 values, 2 passes: 387\n", " 50000 values, 3 passes: 150000\n"}},
    {"timing.cu", {"kernel, by events: ", "launch, by the host clock: ", " GB/s"}},
    {"two_launches.cu", {"sum of 65536 values: 12950080, expected 12950080\n"}},
};

class host_program : public testing::TestWithParam<std::string> {};

TEST_P(host_program, prints_what_it_says_under_every_schedule) {
  const program_report report = tried_program({.file = "ladder/host/" + GetParam()});
  EXPECT_EQ(report.verdict(), "clean") << text_of(report);
  EXPECT_EQ(report.exit_code(), 0);
  ASSERT_EQ(report.runs.size(), 4u);
  for (const program_run& run : report.runs) {
    for (const std::string& line : printed.at(GetParam())) {
      EXPECT_NE(run.output.find(line), std::string::npos) << line << "\nnot in\n" << run.output;
    }
  }
}

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& [name, text] : printed) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(all, host_program, testing::ValuesIn(programs()),
                         [](const auto& name) { return fs::path(name.param).stem().string(); });

TEST(the_host_programs, are_all_tested_and_name_their_source) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator("ladder/host")) {
    if (entry.path().extension() != ".cu") continue;
    ++count;
    EXPECT_TRUE(printed.contains(entry.path().filename())) << entry.path();
    const std::string text = text_in(entry.path());
    EXPECT_NE(text.find("// The question: "), std::string::npos) << entry.path();
    EXPECT_EQ(text.find("#include \""), std::string::npos) << entry.path();
  }
  EXPECT_EQ(count, printed.size());
}

// Listing 8 of the chapter on two stages says that a caller has to be one.
TEST(block_sizes, has_no_caller_that_is_a_template) {
  std::istringstream text(text_in("ladder/host/block_sizes.cu"));
  int templates = 0;
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("template <")) continue;
    ++templates;
    ASSERT_TRUE(std::getline(text, line));
    EXPECT_TRUE(line.starts_with("__global__ ") || line.starts_with("__device__ ")) << line;
  }
  EXPECT_GE(templates, 2);
}

TEST(the_drivers, launch_and_copy_as_often_as_the_page_says) {
  const program_report report = tried_program(
      {.file = "ladder/host/drivers.cu", .arguments = {"65536", "1"}, .schedule = "forward"});
  ASSERT_EQ(report.exit_code(), 0) << text_of(report);
  ASSERT_EQ(report.launches.size(), 5u);
  EXPECT_EQ(report.launches[2].launch, "sum_blocks<<<256, 256, 1024>>>");
  EXPECT_EQ(report.launches[3].launch, "sum_blocks<<<1, 256, 1024>>>");
  // Two runs of one block that reads 256 ints, 32 sectors, and writes one.
  EXPECT_EQ(report.launches[3].times, 2u);
  EXPECT_EQ(report.launches[3].counts.global_sectors(), 2u * 33);
}

}  // namespace
}  // namespace onefold::ladder::test
