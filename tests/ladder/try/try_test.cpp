// SPDX-License-Identifier: Apache-2.0
// Every defect that a learner's file has is named with its file and line, by both compilers alike.
// ONEFOLD_UPDATE_GOLDEN=1 writes the golden texts anew.

#include "tests/ladder/try/trying.hpp"

#include <nlohmann/json.hpp>

namespace onefold::ladder::test {
namespace {

void expect_named(const try_options& options, const std::string& kind, const std::string& mark) {
  for (const std::string& compiler : compilers()) {
    const compiled_by chosen(compiler);
    const try_report report = tried(options);
    EXPECT_EQ(report.exit_code(), 1);
    EXPECT_TRUE(names(report, kind, marked(options.file, mark))) << compiler << "\n"
                                                                 << text_of(report);
  }
}

void expect_golden(const std::string& name, const try_options& options) {
  const std::string path = "tests/ladder/try/golden/" + name;
  for (const std::string& compiler : compilers()) {
    const compiled_by chosen(compiler);
    const std::string text = text_of(tried(options));
    if (std::getenv("ONEFOLD_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    EXPECT_EQ(text, text_in(path)) << path << " by " << compiler;
  }
}

TEST(defects, of_every_kind_are_named_by_file_and_line) {
  for (const std::string kind : {"race", "bounds", "divergent_barrier", "uninitialised"}) {
    std::string words = kind;
    std::replace(words.begin(), words.end(), '_', ' ');
    expect_named({.file = learner_file(kind + ".cu")}, words, words);
  }
}

TEST(defects, of_one_shared_array_are_seen_where_other_kernels_have_theirs_behind_it) {
  expect_named({.file = learner_file("short_array.cu"), .kernel = "my_sum", .block = 256}, "bounds",
               "bounds");
}

TEST(wrong_operators, are_named_by_what_they_do) {
  for (const std::string kernel :
       {"difference", "turned_difference", "product", "maximum", "minimum", "copy"}) {
    std::string words = kernel;
    std::replace(words.begin(), words.end(), '_', ' ');
    expect_named(
        {.file = learner_file("wrong_operators.cu"), .kernel = kernel, .n = 1024, .op = "sum"},
        "wrong operator", words);
  }
  expect_named({.file = learner_file("wrong_operators.cu"),
                .kernel = "in_registers",
                .n = 1024,
                .op = "sum"},
               "wrong operator", "product in registers");
}

TEST(wrong_operators, are_not_seen_where_the_loads_are_wrong) {
  const try_report report =
      tried({.file = learner_file("wrong_operators.cu"), .kernel = "skips_elements", .n = 1024});
  EXPECT_EQ(report.verdict(), "elements never read, wrong value") << text_of(report);
}

TEST(wrong_operators, depend_on_what_is_asked_for) {
  const try_report report = tried({.file = "examples/my_sum.cu", .n = 1024, .op = "product"});
  EXPECT_EQ(report.verdict(), "wrong operator, wrong value") << text_of(report);
}

TEST(wrong_identities, are_named_in_memory_and_in_registers) {
  const std::string file = learner_file("wrong_identity.cu");
  expect_named({.file = file, .kernel = "in_the_tail", .op = "max"}, "wrong identity",
               "in the tail");
  expect_named({.file = file, .kernel = "in_a_register", .op = "max"}, "wrong identity",
               "in a register");
}

TEST(crashes, are_named_by_file_and_line) {
  const std::string file = learner_file("crashes.cu");
  expect_named({.file = file, .kernel = "divides_by_zero"}, "crash", "division");
  expect_named({.file = file, .kernel = "recurses"}, "crash", "recursion");
  expect_named({.file = file, .kernel = "loops"}, "no progress", "loop");
}

// A wait for other blocks and a loop that forgets its variable have the same finding, and are told
// apart by its detail and its hint.
TEST(loops_without_an_end, are_told_from_waits_for_other_blocks) {
  const std::string file = learner_file("waits.cu");
  const auto says = [&](const char* kernel, const char* mark, const char* detail,
                        const char* hint) {
    const try_report report = tried({.file = file, .kernel = kernel});
    const std::string text = text_of(report);
    EXPECT_TRUE(names(report, "no progress", marked(file, mark))) << text;
    EXPECT_NE(text.find(detail), std::string::npos) << text;
    EXPECT_NE(text.find(hint), std::string::npos) << text;
  };
  const char* const waits = "again and again, and waits for another block to change it";
  says("waits_for_blocks", "barrier of the grid", waits, "no block may wait for another");
  says("waits_for_blocks_by_atomics", "barrier by atomics", waits, "no block may wait for another");
  says("never_changes", "loop", "without coming to a barrier or its end",
       "does the variable of the loop change");
}

TEST(a_block_that_a_tree_cannot_halve, is_answered_by_a_power_of_two) {
  const try_report report = tried({.file = "examples/my_sum.cu", .block = 96});
  EXPECT_EQ(report.verdict(), "wrong value") << text_of(report);
  ASSERT_FALSE(report.hints.empty());
  EXPECT_EQ(report.hints[0], "with --block 64 it is right at n 16384: a tree that halves its block "
                             "needs a power of two");
}

TEST(crashes, that_leave_no_line_are_told_all_the_same) {
  const std::string file = learner_file("crashes.cu");
  EXPECT_EQ(tried({.file = file, .kernel = "asserts"}).verdict(), "crash");
  EXPECT_EQ(tried({.file = file, .kernel = "exits"}).verdict(), "crash");
}

TEST(crashes, of_a_kernel_that_asks_for_ever_more_memory_are_told) {
  const try_report report = tried({.file = learner_file("crashes.cu"), .kernel = "eats"});
  EXPECT_EQ(report.verdict(), "crash");
  EXPECT_NE(text_of(report).find("more than 1 GiB of memory"), std::string::npos);
}

TEST(a_kernel_that_does_not_come_back, is_ended_at_the_limit) {
  const try_report report =
      tried({.file = learner_file("crashes.cu"), .kernel = "sleeps", .limit_s = 0.2});
  EXPECT_EQ(report.verdict(), "no end");
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_NE(text_of(report).find("more than 0.2 s of a processor"), std::string::npos);
}

TEST(compiler_errors, name_the_learners_file_and_line) {
  for (const std::string& compiler : compilers()) {
    const compiled_by chosen(compiler);
    const std::string file = learner_file("compile_error.cu");
    const try_report report = tried({.file = file});
    EXPECT_EQ(report.exit_code(), 1);
    EXPECT_EQ(report.verdict(), "does not compile");
    const std::string place = simt::to_string(marked(file, "total"));
    EXPECT_NE(report.message.find(place), std::string::npos) << report.message;
    EXPECT_NE(report.message.find("total"), std::string::npos);
    EXPECT_EQ(report.message.find("onefold-try-"), std::string::npos)
        << "a temporary path is shown";
  }
}

TEST(compiler_errors, of_a_shared_array_without_a_size_are_one_sentence) {
  const std::string file = learner_file("unsized_shared.cu");
  const try_report report = tried({.file = file});
  EXPECT_EQ(report.verdict(), "does not compile");
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_EQ(report.message, simt::to_string(marked(file, "no size")) +
                                ": the shared array 'buffer' has no size; write extern in front of "
                                "__shared__, or a number between the brackets\n");
}

TEST(compiler_errors, at_the_end_of_the_file_are_the_learners_too) {
  const try_report report = tried({.file = learner_file("missing_brace.cu")});
  EXPECT_EQ(report.verdict(), "does not compile");
  EXPECT_NE(report.message.find("missing_brace.cu:2"), std::string::npos) << report.message;
}

TEST(a_better_grid, is_found_for_a_kernel_that_takes_two_elements_a_lane) {
  const try_options options{.file = learner_file("two_a_lane.cu"), .n = 4096};
  const try_report report = tried(options);
  EXPECT_EQ(report.exit_code(), 0);
  EXPECT_NE(
      text_of(report).find("launched with --block 256 --grid 8, found by trying: with --block "
                           "256 --grid 16 it is wrong"),
      std::string::npos)
      << text_of(report);
  try_options one_a_lane = options;
  one_a_lane.grid = 16;
  EXPECT_EQ(tried(one_a_lane).exit_code(), 1);
}

TEST(a_right_kernel, of_one_schedule_alone_has_an_exit_code_of_its_own) {
  EXPECT_EQ(tried({.file = "examples/my_sum.cu", .schedule = "lockstep"}).exit_code(), 3);
}

TEST(the_report, of_a_right_kernel) {
  expect_golden("right.txt", {.file = "examples/my_sum.cu"});
}

TEST(the_report, of_wrong_kernels) {
  expect_golden("race.txt", {.file = learner_file("race.cu")});
  expect_golden("bounds.txt", {.file = learner_file("bounds.cu")});
  expect_golden("difference.txt",
                {.file = learner_file("wrong_operators.cu"), .kernel = "difference"});
  expect_golden("division.txt", {.file = learner_file("crashes.cu"), .kernel = "divides_by_zero"});
}

TEST(the_report, in_json_is_the_same_but_for_the_seconds) {
  auto page =
      nlohmann::ordered_json::parse(json_of(tried({.file = learner_file("race.cu"), .n = 300})));
  EXPECT_GT(page.at("run").at("seconds"), 0);
  page.erase("run");
  const std::string path = "tests/ladder/try/golden/race.json";
  if (std::getenv("ONEFOLD_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << page.dump(2) << "\n";
  EXPECT_EQ(page.dump(2) + "\n", text_in(path));
}

}  // namespace
}  // namespace onefold::ladder::test
