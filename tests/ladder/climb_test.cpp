// SPDX-License-Identifier: Apache-2.0
// `climb` on a machine without a GPU: the run of a file, or the recorded one. The file is made up:
// its numbers are round and belong to no card.

#include "ladder/commands/climb_command.hpp"
#include "ladder/gpu/gpu.hpp"
#include "ladder/rung/recorded_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
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

TEST(the_climb, without_a_gpu_is_the_recorded_one_and_says_so) {
  if (find_gpu().found) GTEST_SKIP() << "this machine has a GPU, which would run it";
  const program_answer answer = ask({});
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_TRUE(answer.out.starts_with("recorded, not run here: no GPU: ")) << answer.out;
  const whole_climb recorded = whole_climb_of(recorded_climb_json, "the recorded run");
  EXPECT_TRUE(answer.out.ends_with(to_text(recorded))) << answer.out;
  EXPECT_EQ(recorded.n, whole_climb_n);
  EXPECT_EQ(recorded.shuffles, whole_climb_shuffles);
}

TEST(the_climb, ends_with_an_exact_sum_and_a_page_for_each_step) {
  const whole_climb climb = whole_climb_of(recorded_climb_json, "the recorded run");
  const climb_step_time& exact = climb.steps.back();
  EXPECT_EQ(exact.name, "onefold exact");
  EXPECT_EQ(exact.answers, 1u);
  EXPECT_EQ(exact.largest_ulps, 0);
  const std::string text = to_text(climb);
  for (const climb_step_time& s : climb.steps) {
    const std::size_t at = text.find("\n" + s.name + " ") + 1;
    EXPECT_NE(text.substr(at, text.find('\n', at) - at).find("explain reduce/"), std::string::npos)
        << s.name;
  }
}

TEST(the_climb, refuses_what_is_no_run) {
  EXPECT_EQ(ask({"--recorded", "/nowhere.json"}).exit_code, 2);
  for (const char* text : {"", "{}", "[1", R"({"schema": 2})"}) {
    EXPECT_THROW(whole_climb_of(text, "a file"), std::invalid_argument) << text;
  }
  std::string timeless = text_of(made_up);
  timeless.replace(timeless.find("500000.0"), 8, "0.0");
  EXPECT_THROW(whole_climb_of(timeless, "a file"), std::invalid_argument);
  const auto with = [](const char* key, const nlohmann::json& value) {
    auto page = nlohmann::json::parse(text_of(made_up));
    page[key] = value;
    return page.dump();
  };
  EXPECT_NO_THROW(whole_climb_of(with("n", 5), "a file"));
  EXPECT_THROW(whole_climb_of(with("n", -5), "a file"), std::invalid_argument);
  EXPECT_THROW(whole_climb_of(with("reading_us", 0), "a file"), std::invalid_argument);
  EXPECT_THROW(whole_climb_of(with("steps", nlohmann::json::array()), "a file"),
               std::invalid_argument);
}

TEST(the_climb, says_which_file_it_cannot_write) {
  const program_answer answer = ask({"--json", "/nowhere/run.json"});
  EXPECT_NE(answer.exit_code, 0);
  EXPECT_EQ(answer.out, "");
  EXPECT_NE(answer.error.find("cannot write '/nowhere/run.json'; name a file"), std::string::npos)
      << answer.error;
}

}  // namespace
}  // namespace onefold::ladder::test
