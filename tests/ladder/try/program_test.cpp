// SPDX-License-Identifier: Apache-2.0
// The program itself: wherever it lies and is called from, and whenever it is interrupted.

#include "tests/ladder/try/own_folder.hpp"
#include "tests/ladder/try/trying.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <poll.h>
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

answer ask(const std::string& command) {
  answer got;
  FILE* const stream = popen((command + " 2>&1").c_str(), "r");
  for (int c = 0; (c = std::fgetc(stream)) != EOF;) got.text += static_cast<char>(c);
  const int status = pclose(stream);
  got.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return got;
}

TEST(the_program, tries_the_documented_kernel_and_compares_it_with_a_rung) {
  const answer got = ask(ONEFOLD_LADDER_PROGRAM " try examples/my_sum.cu --kernel my_sum");
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_TRUE(got.text.starts_with("examples/my_sum.cu: my_sum: right\n")) << got.text;
  EXPECT_NE(got.text.find("yours  reduce/sequential\n"), std::string::npos) << got.text;
}

TEST(the_program, works_without_its_tree_from_any_folder) {
  const own_folder moved;
  const own_tmpdir temporary;
  fs::copy_file(ONEFOLD_LADDER_PROGRAM, moved.path() / "program");
  fs::create_directory(moved.path() / "my work");
  fs::copy_file(learner_file("race.cu"), moved.path() / "my work/race.cu");
  const answer got =
      ask("cd '" + (moved.path() / "my work").string() + "' && ../program try race.cu");
  EXPECT_EQ(got.exit_code, 1);
  const std::string line = std::to_string(marked(learner_file("race.cu"), "race").line);
  EXPECT_NE(got.text.find("\nrace: race.cu:" + line + ": "), std::string::npos) << got.text;
  EXPECT_EQ(entries_in(temporary.path()), 0u);
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(the_program, draws_which_elements_fold_when) {
  const own_folder folder;
  const std::string file = (folder.path() / "wrong.svg").string();
  const answer got = ask(ONEFOLD_LADDER_PROGRAM
                         " try tests/ladder/try/kernels/letters.cu --kernel sum_stops_early "
                         "--picture " +
                         file);
  EXPECT_EQ(got.exit_code, 1);
  EXPECT_NE(got.text.find("picture: " + file), std::string::npos) << got.text;
  const std::string svg = text_in(file);
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << svg.substr(0, 80);
  EXPECT_NE(svg.find("the sum of 1, 2, ... is 16, not 36"), std::string::npos);
  // Loads, folds at k = 4 and k = 2, and what the block leaves: without b, d, f and h.
  EXPECT_EQ(times(svg, "class=\"step\""), 4u);
  EXPECT_EQ(times(svg, "<rect"), 8u + 4 + 2 + 1);
  EXPECT_EQ(times(svg, ">aecg</text>"), 2u);
}

TEST(the_program, says_what_it_does_not_draw) {
  const answer got =
      ask(ONEFOLD_LADDER_PROGRAM " try tests/ladder/try/kernels/extrema.cu --op min --kernel "
                                 "min_by_shuffles --picture none.svg");
  EXPECT_NE(got.text.find("no picture: "), std::string::npos) << got.text;
  EXPECT_FALSE(fs::exists("none.svg"));
}

TEST(the_program, answers_in_json_with_the_same_exit_code) {
  const answer got = ask(ONEFOLD_LADDER_PROGRAM " try --json --n 300 " + learner_file("race.cu"));
  EXPECT_EQ(got.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(got.text).at("verdict"), "race, wrong value");
}

TEST(the_program, refuses_what_cannot_be_tried_with_exit_code_2) {
  const answer missing = ask(ONEFOLD_LADDER_PROGRAM " try no/such.cu");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.text, "onefold-ladder try: no/such.cu: no such file\n");
  const answer rung = ask(ONEFOLD_LADDER_PROGRAM " try examples/my_sum.cu --compare reduce/sum");
  EXPECT_EQ(rung.exit_code, 2);
  EXPECT_NE(rung.text.find("--compare reduce/sum: use none, or a rung"), std::string::npos);
}

/// The program at work, and a pipe that stays open as long as any process that it started lives.
class running_program {
 public:
  explicit running_program(const std::vector<const char*>& words) {
    std::vector<char*> arguments;
    for (const char* word : words) arguments.push_back(const_cast<char*>(word));
    arguments.push_back(nullptr);
    EXPECT_EQ(pipe(ends_.data()), 0);
    process_ = fork();
    if (process_ != 0) {
      close(ends_[1]);
      return;
    }
    close(ends_[0]);
    std::signal(SIGINT, SIG_DFL);  // a parent in the background of a script ignores it
    execv(ONEFOLD_LADDER_PROGRAM, arguments.data());
    _exit(127);
  }
  running_program(const running_program&) = delete;
  running_program& operator=(const running_program&) = delete;
  ~running_program() { close(ends_[0]); }

  /// The signal that ended it.
  int interrupt() const {
    int status = 0;
    kill(process_, SIGINT);
    waitpid(process_, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

  bool all_processes_are_gone() const {
    constexpr int patience_ms = 10'000;
    pollfd end{ends_[0], POLLIN, 0};
    return poll(&end, 1, patience_ms) == 1 && (end.revents & POLLHUP) != 0;
  }

 private:
  std::array<int, 2> ends_{};
  pid_t process_ = 0;
};

void wait_for(const fs::path& folder, const std::string& name) {
  const auto is_there = [&] {
    std::error_code changing;
    for (fs::recursive_directory_iterator at(folder, changing), end; at != end;
         at.increment(changing)) {
      if (at->path().filename() == name) return true;
    }
    return false;
  };
  while (!is_there()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(an_interrupt, of_the_launches_leaves_no_process_and_no_file) {
  const own_tmpdir temporary;
  const std::string file = learner_file("crashes.cu");
  const running_program program(
      {"onefold-ladder", "try", file.c_str(), "--kernel", "sleeps", "--limit", "100"});
  wait_for(temporary.path(), "kernel.so");
  EXPECT_EQ(program.interrupt(), SIGINT);
  EXPECT_TRUE(program.all_processes_are_gone());
  EXPECT_EQ(entries_in(temporary.path()), 0u);
}

TEST(an_interrupt, of_the_compiler_leaves_no_process_and_no_file) {
  const own_folder bin;
  const own_tmpdir temporary;
  const std::string script = bin.path() / "compiler";
  std::ofstream(script) << "case $1 in --version) exit 0; esac\n"
                           ": > \"$TMPDIR/its_own.s\"\nsleep 100 & wait\n";
  const compiled_by slow("sh " + script);
  const running_program program({"onefold-ladder", "try", "examples/my_sum.cu"});
  wait_for(temporary.path(), "its_own.s");
  EXPECT_EQ(program.interrupt(), SIGINT);
  EXPECT_TRUE(program.all_processes_are_gone());
  EXPECT_EQ(entries_in(temporary.path()), 0u);
}

TEST(the_workshop, is_cleared_away_after_success_errors_and_crashes) {
  const own_tmpdir temporary;
  tried({.file = "examples/my_sum.cu", .n = 10});
  tried({.file = learner_file("compile_error.cu")});
  tried({.file = learner_file("crashes.cu"), .kernel = "divides_by_zero"});
  tried({.file = learner_file("signatures.cu"), .kernel = "two_inputs"});
  EXPECT_EQ(entries_in(temporary.path()), 0u);
}

}  // namespace
}  // namespace onefold::ladder::test
