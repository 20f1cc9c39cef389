// SPDX-License-Identifier: Apache-2.0
// Defects of whole programs are found, with their lines, and right programs have none.

#include "tests/ladder/host/trying_programs.hpp"

namespace onefold::ladder::test {
namespace {

const std::string defects = test_program("defects.cu");

program_report with_defect(const std::string& name, double limit_s = usual_run_limit_s) {
  return tried_program(
      {.file = defects, .arguments = {name}, .schedule = "forward", .limit_s = limit_s});
}

/// The program has one defect of that kind, on the line that marks it.
void expect_marked(const std::string& name, const std::string& kind, const std::string& mark) {
  const program_report report = with_defect(name);
  EXPECT_EQ(report.exit_code(), 1) << name;
  const try_defect* const found = defect_of_kind(report, kind);
  ASSERT_NE(found, nullptr) << name << "\n" << text_of(report);
  const simt::location place = marked(defects, mark);
  EXPECT_TRUE(found->place == place || found->other == place) << found->text();
}

TEST(a_right_program, may_use_the_whole_host_api) {
  for (const std::string& compiler : compilers()) {
    const compiled_by chosen(compiler);
    const program_report report = tried_program({.file = test_program("features.cu")});
    EXPECT_EQ(report.exit_code(), 0) << text_of(report);
    ASSERT_FALSE(report.runs.empty());
    EXPECT_EQ(report.runs.front().output, "call 0\ncall 1\nright\n");
    EXPECT_TRUE(report.measures_time);
  }
}

TEST(a_right_program, with_all_the_functions_of_the_defects_has_none) {
  const program_report report = with_defect("none");
  EXPECT_EQ(report.exit_code(), 0) << text_of(report);
  EXPECT_EQ(report.verdict(), "clean");
}

TEST(a_copy, is_held_to_its_allocation_its_direction_and_what_was_written) {
  expect_marked("copy", "bounds", "copy");
  expect_marked("direction", "copy direction", "direction");
  expect_marked("unwritten", "uninitialised", "unwritten");
}

TEST(a_copy, without_a_direction_is_found_and_the_right_one_named) {
  const own_folder folder;
  const std::string file = folder.path() / "no_direction.cu";
  std::ofstream(file) << "int main() {\n  int *a, b = 1;\n  cudaMalloc(&a, 4);\n"
                         "  cudaMemcpy(a, &b, 4);\n  cudaFree(a);\n}\n";
  const program_report report = tried_program({.file = file, .schedule = "forward"});
  const try_defect* const found = defect_of_kind(report, "copy direction");
  ASSERT_NE(found, nullptr) << text_of(report);
  EXPECT_EQ(found->place, (simt::location{file, 4}));
  EXPECT_NE(found->detail.find("cudaMemcpyHostToDevice is meant"), std::string::npos);
}

TEST(the_host, that_uses_device_memory_is_stopped_there) {
  expect_marked("host read", "host access", "host read");
  expect_marked("host write", "host access", "host write");
}

TEST(the_host, that_does_not_wait_for_a_launch_is_told_so_and_goes_on) {
  expect_marked("no wait", "missing wait", "no wait");
  const program_report report = with_defect("no wait");
  EXPECT_EQ(report.runs.front().exit_code, 0);
  EXPECT_EQ(report.runs.front().output, "10\n");
  expect_marked("early end", "missing wait", "early end");
}

TEST(the_host, that_does_not_wait_for_an_asynchronous_copy_is_told_so) {
  expect_marked("no wait for a copy", "missing wait", "no wait for a copy");
}

TEST(the_host, may_use_managed_memory_that_no_running_launch_uses) {
  const program_report report = with_defect("other memory");
  EXPECT_EQ(report.exit_code(), 0) << text_of(report);
  EXPECT_EQ(report.runs.front().output, "7 3 6\n");
}

TEST(device_memory, must_be_freed_once_and_not_be_used_after_that) {
  expect_marked("leak", "leak", "leak");
  expect_marked("second free", "free", "second free");
  expect_marked("freed", "bounds", "past the end");
  EXPECT_NE(text_of(with_defect("freed")).find("'in' (256 bytes), which has been freed"),
            std::string::npos);
}

TEST(a_kernel_of_a_program, is_checked_like_any_other) {
  expect_marked("bounds", "bounds", "past the end");
  expect_marked("race", "race", "race");
  expect_marked("endless", "no progress", "endless");
  expect_marked("division", "crash", "division");
  expect_marked("launch", "launch", "launch");
}

TEST(a_kernel_of_a_program, that_uses_host_memory_breaks_the_device_as_on_a_gpu) {
  expect_marked("host memory", "bounds", "past the end");
  const program_report report = with_defect("host memory");
  EXPECT_EQ(report.runs.front().output, "cudaErrorIllegalAddress\n");
  EXPECT_NE(defect_of_kind(report, "bounds")->detail.find("is it the host's?"), std::string::npos);
}

TEST(the_end_of_a_program, is_told_whatever_it_is) {
  EXPECT_EQ(with_defect("exit").verdict(), "exit code 3");
  expect_marked("abort", "crash", "abort");
  const program_report thrown = with_defect("throw");
  EXPECT_EQ(thrown.exit_code(), 1);
  ASSERT_NE(defect_of_kind(thrown, "crash"), nullptr) << text_of(thrown);
  EXPECT_EQ(defect_of_kind(thrown, "crash")->detail, "an exception left main: no luck");
  const program_report endless = with_defect("loop", 1);
  EXPECT_EQ(endless.verdict(), "no end");
  EXPECT_EQ(endless.runs.size(), 1u);
}

TEST(a_schedule, that_alone_shows_a_defect_is_named_with_it) {
  const own_folder folder;
  const std::string file = folder.path() / "order.cu";
  std::ofstream(file) << "#include <cstdlib>\n"
                         "__device__ int last = 0;\n"
                         "__global__ void k() { atomicExch(&last, int(blockIdx.x)); }\n"
                         "int main() {\n  int got = 0;\n  k<<<3, 1>>>();\n"
                         "  cudaMemcpyFromSymbol(&got, last, sizeof(got));\n"
                         "  return got == 2 ? 0 : 7;\n}\n";
  const program_report report = tried_program({.file = file});
  EXPECT_EQ(report.exit_code(), 1) << text_of(report);
  EXPECT_EQ(report.runs.at(0).exit_code, 0);
  EXPECT_EQ(report.runs.at(1).exit_code, 7);
  EXPECT_EQ(report.verdict(), "exit code 7");
}

TEST(a_program, that_cannot_be_run_is_refused_with_the_line) {
  const own_folder folder;
  const std::string file = folder.path() / "program.cu";
  const auto refusal = [&](const std::string& text) {
    std::ofstream(file) << text;
    const program_report report = try_program({.file = file});
    EXPECT_EQ(report.exit_code(), 2) << text;
    return report.message;
  };
  EXPECT_EQ(refusal("__global__ void k() {}\n"),
            file +
                ": has no main; leave out --main to try a kernel, or write one that launches it");
  EXPECT_EQ(refusal("\n#include <cub/cub.cuh>\nint main() {}\n"),
            file + ":2: CUB is not supported; write the kernel out, or compile with nvcc");
  EXPECT_EQ(refusal("__global__ void a() {}\n__global__ void b() {\n  a<<<1, 1>>>();\n}\n"
                    "int main() {}\n"),
            file + ":3: a kernel that launches kernels is not supported; launch from main");
  EXPECT_EQ(try_program({.file = "no/such.cu"}).exit_code(), 2);
}

TEST(a_program, that_calls_what_is_not_here_is_refused_with_the_line) {
  const own_folder folder;
  const std::string file = folder.path() / "pitch.cu";
  std::ofstream(file) << "int main() {\n  float* d;\n  size_t pitch;\n"
                         "  cudaMallocPitch(&d, &pitch, 10, 10);\n}\n";
  for (const std::string& compiler : compilers()) {
    const compiled_by chosen(compiler);
    const program_report report = try_program({.file = file});
    EXPECT_EQ(report.exit_code(), 2);
    EXPECT_TRUE(report.message.starts_with(file + ":4: cudaMallocPitch is not supported"))
        << report.message;
  }
}

TEST(a_program, that_does_not_compile_shows_the_line_of_the_compiler) {
  const own_folder folder;
  const std::string file = folder.path() / "program.cu";
  std::ofstream(file) << "__global__ void k(int* a) {}\nint main() {\n  k<<<1, 1>>>(1.5);\n}\n";
  const program_report report = try_program({.file = file});
  EXPECT_EQ(report.verdict(), "does not compile");
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_NE(report.message.find(file + ":3"), std::string::npos) << report.message;
}

}  // namespace
}  // namespace onefold::ladder::test
