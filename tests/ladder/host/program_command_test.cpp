// SPDX-License-Identifier: Apache-2.0
// `onefold-ladder try FILE --main`, from its command line to its exit code.

#include "tests/ladder/host/trying_programs.hpp"
#include "tests/ladder/try/own_folder.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace onefold::ladder::test {
namespace {

namespace fs = std::filesystem;

struct answer {
  std::string text;
  int exit_code;
};

answer ask(const std::string& words) {
  answer got;
  FILE* const stream =
      popen((std::string(ONEFOLD_LADDER_PROGRAM) + " try " + words + " 2>&1").c_str(), "r");
  for (int c = 0; (c = std::fgetc(stream)) != EOF;) got.text += static_cast<char>(c);
  const int status = pclose(stream);
  got.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return got;
}

TEST(the_command, runs_two_launches_as_documented) {
  const own_tmpdir temporary;
  const answer got = ask("ladder/host/two_launches.cu --main");
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_TRUE(got.text.starts_with("sum of 65536 values: 12950080, expected 12950080\n\n"
                                   "ladder/host/two_launches.cu: clean\n"
                                   "exit code 0 under forward, reverse, shuffled, lockstep\n"))
      << got.text;
  EXPECT_EQ(entries_in(temporary.path()), 0u);
}

TEST(the_command, gives_the_program_its_arguments) {
  const answer got = ask("ladder/host/drivers.cu --main --schedule forward -- 1000 1");
  EXPECT_EQ(got.exit_code, 0) << got.text;
  EXPECT_NE(got.text.find(", 1000 ints, 4 blocks at most\n"), std::string::npos) << got.text;
}

TEST(the_command, answers_in_json_with_the_same_exit_code) {
  const answer got =
      ask("tests/ladder/host/programs/defects.cu --main --json --schedule forward -- leak");
  EXPECT_EQ(got.exit_code, 1);
  const auto page = nlohmann::json::parse(got.text);
  EXPECT_EQ(page.at("verdict"), "leak");
  EXPECT_EQ(page.at("exit_code"), 1);
  EXPECT_EQ(page.at("runs").at(0).at("exit_code"), 0);
  EXPECT_EQ(page.at("defects").at(0).at("defect"), "leak");
}

TEST(the_command, refuses_options_of_a_kernel_and_arguments_without_a_program) {
  EXPECT_EQ(ask("ladder/host/timing.cu --main --kernel sum_blocks").exit_code, 2);
  const answer got = ask("ladder/host/timing.cu -- 5");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.text.find("'5' is an argument of a program; add --main"), std::string::npos);
}

TEST(an_interrupt, of_a_program_ends_it_and_leaves_no_file) {
  const own_tmpdir temporary;
  const pid_t program = fork();
  if (program == 0) {
    const int nowhere = fileno(std::tmpfile());
    dup2(nowhere, STDOUT_FILENO);
    std::signal(SIGINT, SIG_DFL);  // a parent in the background of a script ignores it
    execl(ONEFOLD_LADDER_PROGRAM, "onefold-ladder", "try", "tests/ladder/host/programs/defects.cu",
          "--main", "--", "loop", nullptr);
    _exit(127);
  }
  const auto runs = [&temporary] {
    std::error_code changing;
    for (fs::recursive_directory_iterator at(temporary.path(), changing), end; at != end;
         at.increment(changing)) {
      if (at->path().filename() == "output.txt") return true;
    }
    return false;
  };
  while (!runs()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(program, SIGINT);
  int status = 0;
  waitpid(program, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_EQ(entries_in(temporary.path()), 0u);
}

}  // namespace
}  // namespace onefold::ladder::test
