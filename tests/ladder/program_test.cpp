// SPDX-License-Identifier: Apache-2.0
// The command line against golden texts. ONEFOLD_UPDATE_GOLDEN=1 writes them anew.

#include "ladder/commands/command_line.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace onefold::ladder::test {
namespace {

program_answer ask(std::vector<const char*> words) {
  words.insert(words.begin(), "onefold-ladder");
  return answer_command_line(static_cast<int>(words.size()), words.data());
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(ONEFOLD_SOURCE_ROOT) + "/tests/ladder/golden/" + name;
  if (std::getenv("ONEFOLD_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

void expect_page(const std::string& name, const std::vector<const char*>& words) {
  const program_answer answer = ask(words);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.error, "");
  expect_golden(name, answer.out);
}

void expect_refused(const std::vector<const char*>& words, const std::string& complaint) {
  const program_answer answer = ask(words);
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(answer.error, complaint);
}

TEST(list, names_every_rung) {
  expect_page("list.txt", {"list"});
}

TEST(run, shows_all_rungs_and_the_published_defect) {
  expect_page("run.txt", {"run"});
}

TEST(run, shows_where_the_published_kernel_reads_past_the_end) {
  expect_page("run_300.txt", {"run", "published/first-add", "--n", "300", "--type", "float"});
}

TEST(run, takes_rungs_sizes_types_schedules_and_warps) {
  expect_page("run_options.txt",
              {"run", "reduce/strided", "reduce/sequential", "--n", "1000", "--block", "64",
               "--type", "double", "--schedule", "shuffled", "--seed", "3", "--warp", "16"});
}

TEST(run, prints_json_that_is_the_same_but_for_the_seconds) {
  const program_answer answer = ask({"run", "--n", "300", "--json"});
  EXPECT_EQ(answer.exit_code, 0);
  auto page = nlohmann::ordered_json::parse(answer.out);
  EXPECT_EQ(page.at("run").at("seconds").size(), 5u);
  page.erase("run");
  expect_golden("run_300.json", page.dump(2) + "\n");
}

TEST(explain, prints_the_page_of_every_rung) {
  expect_page("explain_modulo.txt", {"explain", "reduce/modulo"});
  expect_page("explain_strided.txt", {"explain", "reduce/strided"});
  expect_page("explain_sequential.txt", {"explain", "reduce/sequential"});
  expect_page("explain_first_add.txt", {"explain", "reduce/first-add"});
}

TEST(explain, shows_the_defect_of_a_published_kernel) {
  expect_page("explain_published_first_add.txt", {"explain", "published/first-add", "--n", "1000"});
}

TEST(explain, knows_other_sizes_and_types) {
  expect_page("explain_strided_1024.txt",
              {"explain", "reduce/strided", "--n", "5000", "--block", "1024"});
  expect_page("explain_strided_double.txt",
              {"explain", "reduce/strided", "--n", "600", "--block", "64", "--type", "double"});
}

TEST(refusal, of_an_unknown_rung_names_the_known_ones) {
  expect_refused({"run", "reduce/magic"},
                 "onefold-ladder: no rung is called 'reduce/magic'; there are:\n"
                 "  reduce/modulo\n  reduce/strided\n  reduce/sequential\n  reduce/first-add\n"
                 "  published/first-add\n");
}

TEST(refusal, of_a_block_size_gives_the_remedy) {
  const std::string rule =
      ": the tree halves the block in every step, so its size must be a power of two from 1 to "
      "1024; ";
  expect_refused({"run", "--block", "96"}, "onefold-ladder: --block 96" + rule + "use 64 or 128\n");
  expect_refused({"explain", "reduce/modulo", "--block", "2048"},
                 "onefold-ladder: --block 2048" + rule +
                     "a block has at most 1024 threads; use 1024\n");
  expect_refused({"run", "--block", "0"},
                 "onefold-ladder: --block 0" + rule + "use 1, 2, 4, ..., 1024\n");
}

TEST(refusal, of_a_warp_or_a_length_gives_the_remedy) {
  expect_refused({"run", "--warp", "12"},
                 "onefold-ladder: --warp 12: use a power of two from 1 to 32\n");
  expect_refused({"run", "--type", "float", "--n", "6000000"},
                 "onefold-ladder: --n 6000000: the sum is checked exactly, which float allows up "
                 "to 5592403; use fewer elements or --type double\n");
}

TEST(refusal, of_malformed_arguments_is_a_usage_error) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{},
                                             {"climb"},
                                             {"run", "--type", "half"},
                                             {"run", "--schedule", "random"},
                                             {"explain"},
                                             {"run", "--n", "-1"}}) {
    const program_answer answer = ask(words);
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_NE(answer.error, "");
  }
}

TEST(help, is_no_error) {
  EXPECT_EQ(ask({"--help"}).exit_code, 0);
  EXPECT_EQ(ask({"run", "--help"}).exit_code, 0);
}

}  // namespace
}  // namespace onefold::ladder::test
