// SPDX-License-Identifier: Apache-2.0
// Kernels as textbooks write them are right, whatever surrounds them.

#include "tests/ladder/try/trying.hpp"

namespace onefold::ladder::test {
namespace {

try_report right(const try_options& options) {
  const try_report report = tried(options);
  EXPECT_EQ(report.exit_code(), 0) << text_of(report);
  EXPECT_EQ(report.verdict(), "right");
  return report;
}

using strings = std::vector<std::string>;

TEST(a_textbook_kernel, may_lack_a_length_and_const) {
  const try_report report = right({.file = learner_file("textbooks.cu"), .kernel = "harris"});
  EXPECT_EQ(report.arguments, (strings{"g_idata=in", "g_odata=out"}));
  EXPECT_EQ(report.runs.size(), 6u);
  EXPECT_EQ(report.untested.size(), 1u);
}

TEST(a_textbook_kernel, may_be_a_template_with_static_shared_memory) {
  for (const char* type :
       {"int", "unsigned", "long long", "unsigned long long", "float", "double"}) {
    const try_report report = right(
        {.file = learner_file("textbooks.cu"), .kernel = "unrolled", .n = 4096, .type = type});
    EXPECT_EQ(report.type, type);
  }
  right({.file = learner_file("textbooks.cu"),
         .kernel = "unrolled<float, 64>",
         .block = 64,
         .grid = 8});
}

TEST(a_textbook_kernel, may_have_its_output_first_and_a_namespace) {
  const try_report report =
      right({.file = learner_file("textbooks.cu"), .kernel = "book::output_first"});
  EXPECT_EQ(report.arguments, (strings{"result=out", "values=in", "n=n"}));
}

TEST(a_textbook_kernel, may_leave_one_answer_by_atomics_if_the_host_clears_it) {
  const try_report report =
      right({.file = learner_file("textbooks.cu"), .kernel = "one_atomic_a_block"});
  ASSERT_EQ(report.hints.size(), 1u);
  EXPECT_NE(report.hints[0].find("'sum'"), std::string::npos);
}

TEST(a_textbook_kernel, of_two_arrays_is_understood_by_what_it_reads_and_writes) {
  const std::string file = learner_file("two_inputs.cu");
  const try_report add = right({.file = file, .kernel = "add", .n = 4096});
  EXPECT_EQ(add.arguments, (strings{"a=in", "b=in", "c=out"}));
  EXPECT_NE(text_of(add).find("int, sum of each pair; a=in, b=in, c=out"), std::string::npos);
  EXPECT_EQ(right({.file = file, .kernel = "add_to_the_left", .n = 1000}).arguments,
            (strings{"c=out", "a=in", "b=in", "n=n"}));
  const try_report dot = right({.file = file, .kernel = "dot", .n = 4096});
  EXPECT_EQ(dot.arguments, (strings{"a=in", "b=in", "c=out"}));
  EXPECT_NE(text_of(dot).find("float, sum of products; "), std::string::npos);
  EXPECT_EQ(right({.file = file, .kernel = "dot", .arguments = "in,in,out"}).arguments,
            dot.arguments);
}

TEST(a_kernel_of_two_arrays, is_blamed_where_it_is_wrong_and_nowhere_else) {
  const std::string file = learner_file("two_inputs.cu");
  const try_report difference = tried({.file = file, .kernel = "subtracts", .n = 1024});
  EXPECT_EQ(difference.verdict(), "wrong operator, wrong value");
  EXPECT_TRUE(names(difference, "wrong operator", marked(file, "difference")));
  EXPECT_NE(text_of(difference).find("the sum of each pair is"), std::string::npos);
  const try_report one = tried({.file = file, .kernel = "dot_of_one", .n = 1024, .grid = 1});
  EXPECT_EQ(one.verdict(), "elements never read, wrong value") << text_of(one);
}

TEST(a_device_variable, keeps_its_value_between_launches_and_starts_every_trial_anew) {
  const std::string file = learner_file("device_variables.cu");
  for (const std::string& compiler : compilers()) {
    const compiled_by chosen(compiler);
    right({.file = file, .kernel = "resets", .n = 4096});
    right({.file = file, .kernel = "wraps", .n = 4096});
    const try_report stale = tried({.file = file, .kernel = "forgets", .n = 4096});
    EXPECT_EQ(stale.verdict(), "stale variable") << text_of(stale);
    EXPECT_EQ(stale.exit_code(), 1);
    EXPECT_NE(text_of(stale).find("'ended'"), std::string::npos) << text_of(stale);
    EXPECT_TRUE(names(tried({.file = file, .kernel = "runs_over"}), "bounds",
                      marked(file, "over its end")));
  }
}

TEST(the_documented_kernel, is_right_for_every_block_and_length) {
  for (const unsigned block : {1u, 64u, 1024u}) {
    for (const std::size_t n : {1, 2, 1000})
      right({.file = "examples/my_sum.cu", .n = n, .block = block});
  }
}

TEST(the_rungs_themselves, can_be_tried) {
  const auto rung_is_right = [](const char* type, const char* op) {
    right({.file = "ladder/reduce/sequential.cuh", .n = 3000, .type = type, .op = op});
  };
  for (const char* op : {"sum", "product", "max", "min"}) rung_is_right("int", op);
  rung_is_right("float", "product");
}

TEST(a_comparison, shows_the_counts_of_the_rung) {
  try_options options{.file = "examples/my_sum.cu", .n = 1024, .rung = "reduce/sequential"};
  options.compare = [](const std::string& rung, const try_launch& launch) {
    EXPECT_EQ(rung, "reduce/sequential");
    EXPECT_EQ(launch.type, "float");
    simt::counts counts;
    counts.barriers = 4711;
    return std::optional(counts);
  };
  const std::string text = text_of(right(options));
  EXPECT_NE(text.find("yours  reduce/sequential\n"), std::string::npos) << text;
  EXPECT_NE(text.find("4711\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace onefold::ladder::test
