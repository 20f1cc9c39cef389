// SPDX-License-Identifier: Apache-2.0
// Answers that are judged outside the process of the kernel.

#include "ladder/try/try.hpp"
#include "tests/ladder/try/own_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace onefold::ladder::test {
namespace {

struct verified_case {
  const char *name, *expect, *op, *answer;
};

void PrintTo(const verified_case& c, std::ostream* out) {
  *out << c.name;
}

class every_expectation : public testing::TestWithParam<verified_case> {};

TEST_P(every_expectation, of_a_right_kernel_is_right_on_random_elements) {
  const verified_case& c = GetParam();
  try_options options;
  options.file = std::string("tests/ladder/try/cases/") + c.name + ".cu";
  options.expect = c.expect;
  options.op = c.op;
  options.verify = c.answer;
  const try_report report = try_kernel(options);
  EXPECT_EQ(report.verdict(), "right") << text_of(report);
  EXPECT_GE(report.verified, 2u);
}

INSTANTIATE_TEST_SUITE_P(ladder, every_expectation,
                         testing::Values(verified_case{"maximum", "max", "", "int"},
                                         verified_case{"dot", "dot", "", "float"},
                                         verified_case{"transpose_tile", "transpose", "", "float"},
                                         verified_case{"rows_maximum", "rows", "max", "float"},
                                         verified_case{"columns_by_lanes", "columns", "", "float"},
                                         verified_case{"argmin_index", "argmin", "", "int"},
                                         verified_case{"in_place", "sum", "", "int"}),
                         [](const auto& one) { return std::string(one.param.name); });

/// A kernel that is right where it knows the answer, from the launches of a report.
std::string kernel_by_heart(const try_report& report) {
  std::set<std::string> known;
  for (const try_run& run : report.runs)
    known.insert("n == " + std::to_string(run.n) + " && sum == " + run.expected);
  std::string text = "__global__ void block_sum(const int* in, int* out, int n) {\n"
                     "  int sum = 0;\n"
                     "  if (threadIdx.x != 0) return;\n"
                     "  for (int i = blockIdx.x == 0 ? 0 : n; i < n; ++i) sum += in[i];\n"
                     "  bool known = blockIdx.x != 0;\n";
  for (const std::string& each : known) text += "  if (" + each + ") known = true;\n";
  return text + "  out[blockIdx.x] = known ? sum : sum + 1;\n}\n";
}

TEST(answers, that_a_kernel_knows_by_heart_are_wrong_on_random_elements) {
  try_options options;
  options.file = "examples/class/tree.cu";
  options.expect = "sum";
  const try_report honest = try_kernel(options);
  ASSERT_EQ(honest.verdict(), "right");
  const own_folder folder;
  options.file = folder.path() / "by_heart.cu";
  std::ofstream(options.file) << kernel_by_heart(honest);
  EXPECT_EQ(try_kernel(options).verdict(), "right") << "The attack does not attack.";
  options.verify = "int";
  const try_report report = try_kernel(options);
  EXPECT_EQ(report.verdict(), "wrong value") << text_of(report);
  EXPECT_GE(report.verified, 2u);
}

TEST(an_answer, of_another_type_than_the_one_given_is_refused) {
  try_options options;
  options.file = "examples/class/tree.cu";
  options.expect = "sum";
  options.verify = "double";
  const try_report report = try_kernel(options);
  EXPECT_EQ(report.exit_code(), 2);
  EXPECT_EQ(report.message, "--verify: the answer has to be double, and the elements int");
}

}  // namespace
}  // namespace onefold::ladder::test
