// SPDX-License-Identifier: Apache-2.0
// What cannot be tried is refused with exit code 2, naming what, where and the remedy.

#include "tests/ladder/try/trying.hpp"

#include <unistd.h>

namespace onefold::ladder::test {
namespace {

void expect_refused(const try_options& options, const std::string& part) {
  const try_report report = tried(options);
  EXPECT_EQ(report.exit_code(), 2);
  EXPECT_EQ(report.state, try_state::refused);
  EXPECT_NE(report.message.find(part), std::string::npos) << report.message;
}

/// A file of that content in the folder of temporary files.
class temporary_file {
 public:
  temporary_file(const std::string& name, const std::string& content)
      : path_(std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~temporary_file() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(refusal, of_a_missing_file) {
  expect_refused({.file = "no/such.cu"}, "no/such.cu: no such file");
}

TEST(refusal, of_a_folder) {
  expect_refused({.file = "tests"}, "tests: is a folder");
}

TEST(refusal, of_a_device) {
  expect_refused({.file = "/dev/zero"}, "is no regular file");
}

TEST(refusal, of_an_unreadable_file) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const temporary_file file("secret.cu", "__global__ void k() {}");
  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  expect_refused({.file = file.path()}, "cannot be read");
}

TEST(refusal, of_a_binary) {
  const temporary_file file("binary.cu", std::string("\x7f"
                                                     "ELF\0\1\2",
                                                     7));
  expect_refused({.file = file.path()}, "byte 4 is zero");
}

TEST(refusal, of_a_huge_file_before_it_is_read) {
  const temporary_file file("huge.cu", "");
  std::filesystem::resize_file(file.path(), std::uintmax_t{1} << 40);  // sparse
  expect_refused({.file = file.path()}, "has 1099511627776 bytes");
}

TEST(refusal, of_a_file_without_kernels_shows_one) {
  expect_refused({.file = learner_file("no_kernel.cu")}, "defines no kernel: write one as");
}

TEST(refusal, of_an_unknown_or_an_unnamed_kernel_lists_them) {
  const std::string file = learner_file("wrong_identity.cu");
  const std::string list = ":\n  in_the_tail\n  in_a_register";
  expect_refused({.file = file}, "defines several kernels; name one with --kernel" + list);
  expect_refused({.file = file, .kernel = "sum"}, "is called 'sum'; there are" + list);
}

TEST(refusal, of_parameters_that_have_no_argument) {
  const std::string file = learner_file("signatures.cu");
  expect_refused({.file = file, .kernel = "takes_a_struct"}, "parameter 2, 'point origin'");
  expect_refused({.file = file, .kernel = "two_types"},
                 "'const float* a' and 'const int* b' have two types");
  expect_refused({.file = learner_file("two_inputs.cu"), .kernel = "dot", .op = "max"},
                 "--op max: of two inputs, try checks the sum of their products");
  expect_refused({.file = file, .kernel = "no_output"}, "has no output: besides 'const float* in'");
  expect_refused({.file = file, .kernel = "no_input"}, "has no input");
}

TEST(refusal, of_an_expectation_names_what_it_lacks) {
  const std::string file = "examples/my_sum.cu";
  expect_refused({.file = file, .expect = "mean"},
                 "--expect mean: use sum, product, max, min, dot");
  expect_refused({.file = file, .expect = "dot"}, "--expect dot: the kernel reads one array");
  expect_refused({.file = file, .op = "min", .expect = "max"}, "--expect max asks for another one");
  expect_refused({.file = file, .expect = "no/such.npy"}, "no/such.npy: no such file");
  expect_refused({.file = learner_file("two_inputs.cu"), .kernel = "dot", .expect = "max"},
                 "use --expect dot or --expect add");
}

TEST(refusal, is_the_verdict_of_what_did_not_run) {
  const try_report report = tried({.file = "examples/my_sum.cu", .expect = "dot"});
  EXPECT_EQ(report.verdict(), "refused");
  EXPECT_NE(json_of(report).find("\"verdict\": \"refused\""), std::string::npos);
  try_report nothing;
  nothing.state = try_state::ran;
  EXPECT_EQ(nothing.verdict(), "not run");
  nothing.state = try_state::interrupted;
  EXPECT_EQ(nothing.verdict(), "interrupted");
}

TEST(verdict, names_every_kind_of_finding) {
  for (std::size_t i = 0; i < simt::defect_kinds; ++i) {
    try_run run;
    run.answer_right = true;
    run.findings.push_back({static_cast<simt::defect>(i), {}, {}, "", 1});
    EXPECT_EQ(run.verdict(), simt::to_string(static_cast<simt::defect>(i)));
  }
}

TEST(refusal, of_options_names_them_and_the_remedy) {
  const std::string file = "examples/my_sum.cu";
  expect_refused({.file = file, .n = 0}, "--n 0: use 1 to 1048576");
  expect_refused({.file = file, .block = 2048}, "--block 2048: use 1 to 1024 threads");
  expect_refused({.file = file, .grid = 0}, "--grid 0: use 1 to 1048576 blocks");
  expect_refused({.file = file, .type = "half"}, "--type half: use int, unsigned");
  expect_refused({.file = file, .type = "double"},
                 "--type double: the kernel's elements are float");
  expect_refused({.file = file, .op = "mean"}, "--op mean: use sum, product, max, min");
  expect_refused({.file = file, .schedule = "random"}, "--schedule random: use all, forward");
  expect_refused({.file = file, .arguments = "in,out"}, "2 roles for 3 parameters");
  expect_refused({.file = file, .arguments = "in,out,in"}, "'int n' cannot be in");
  expect_refused({.file = file, .arguments = "scratch,out,n"}, "0 parameters are 'in'");
  expect_refused({.file = file, .arguments = "in,scratch,n"}, "exactly one parameter 'out'");
}

TEST(a_missing_compiler, is_the_machines_fault_and_names_the_remedy) {
  const compiled_by nobody("no-such-compiler");
  EXPECT_THROW(
      try { try_kernel({.file = "examples/my_sum.cu"}); } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("no-such-compiler"), std::string::npos);
        throw;
      },
      std::runtime_error);
}

}  // namespace
}  // namespace onefold::ladder::test
