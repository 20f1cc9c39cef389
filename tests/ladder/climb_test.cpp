// SPDX-License-Identifier: Apache-2.0
// `climb` on a machine without a GPU: the run of a file, or the reason and the remedy. The file is
// made up: its numbers are round and belong to no card.

#include "ladder/commands/climb_command.hpp"
#include "ladder/gpu/gpu.hpp"
#include "ladder/rung/recorded_json.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder::test {
namespace {

const std::string made_up = std::string(ONEFOLD_SOURCE_ROOT) + "/tests/ladder/made_up_climb.json";

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

program_answer ask(std::vector<const char*> words) {
  words.insert(words.begin(), {"onefold-ladder", "climb"});
  return answer_command_line(static_cast<int>(words.size()), words.data());
}

TEST(the_climb, shows_bandwidths_shares_errors_and_pages_of_a_recorded_run) {
  const program_answer answer = ask({"--recorded", made_up.c_str()});
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  for (const char* part :
       {"a made-up card, driver 13.0, CUDA 13.0, 2000-01-01", "1.00 GiB",
        "recorded: ", "reduce/atomic        2       0.001 ", "3.2e+06", "explain reduce/atomic",
        "reduce/cascading  2147       0.500  ############ ", "onefold exact     4295       1.000",
        "explain reduce/exact", "4295 GB/s", "left out: a peer: it was not there"}) {
    EXPECT_NE(answer.out.find(part), std::string::npos) << part << "\n" << answer.out;
  }
}

TEST(the_climb, is_the_same_after_it_was_written) {
  const auto file =
      std::filesystem::temp_directory_path() / ("climb-" + std::to_string(getpid()) + ".json");
  EXPECT_EQ(ask({"--recorded", made_up.c_str(), "--json", file.c_str()}).exit_code, 0);
  const whole_climb was = whole_climb_of(text_of(made_up), "made up");
  const whole_climb now = whole_climb_of(text_of(file), "written");
  EXPECT_EQ(to_text(now), to_text(was));
  EXPECT_EQ(to_json_text(now), to_json_text(was));
  EXPECT_EQ(now.steps.size(), 5u);
  std::filesystem::remove(file);
}

TEST(the_climb, says_why_there_is_none_and_how_to_record_one) {
  if (find_gpu().found) GTEST_SKIP() << "this machine has a GPU, which would run it";
  const program_answer answer = ask({});
  EXPECT_NE((answer.out + answer.error).find("no GPU: "), std::string::npos) << answer.out;
  if (!recorded_climb_json.empty()) {
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_NE(answer.out.find("recorded, not run here"), std::string::npos) << answer.out;
    return;
  }
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_NE(answer.error.find("onefold ladder climb --json bench/results/"), std::string::npos);
}

TEST(the_climb, refuses_what_is_no_run) {
  EXPECT_EQ(ask({"--recorded", "/nowhere.json"}).exit_code, 2);
  for (const char* text : {"", "{}", "[1", R"({"schema": 2})"}) {
    EXPECT_THROW(whole_climb_of(text, "a file"), std::invalid_argument) << text;
  }
  std::string timeless = text_of(made_up);
  timeless.replace(timeless.find("500000.0"), 8, "0.0");
  EXPECT_THROW(whole_climb_of(timeless, "a file"), std::invalid_argument);
}

}  // namespace
}  // namespace onefold::ladder::test
