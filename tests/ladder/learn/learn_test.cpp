// SPDX-License-Identifier: Apache-2.0
// The course: what each action shows, keeps and never touches.

#include "ladder/commands/command_line.hpp"
#include "ladder/learn/course.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace onefold::ladder::test {
namespace {

namespace fs = std::filesystem;

/// A course of its own for each test.
class learn : public testing::Test {
 protected:
  learn() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() /
            ("onefold-learn-" + std::to_string(getpid()) + "-" + info->name());
    fs::create_directories(root_);
    folder_ = root_ / "course";
  }
  ~learn() override { fs::remove_all(root_); }

  program_answer ask(std::vector<std::string> words) const {
    words.insert(words.begin(), {"onefold-ladder", "learn"});
    words.insert(words.end(), {"--folder", folder_.string()});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    return answer_command_line(static_cast<int>(argv.size()), argv.data());
  }
  std::string out(std::vector<std::string> words) const { return ask(std::move(words)).out; }

  std::string text_of(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / file).rdbuf();
    return text.str();
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / file) << text;
  }
  /// The exercise with its hole filled.
  void solve(const lesson& l) const {
    std::string text(exercise_text(l));
    const std::size_t mark = text.find("  // <- your line");
    const std::size_t begin = text.rfind('\n', mark) + 1;
    write(std::string(l.file),
          text.replace(begin, text.find('\n', mark) + 1 - begin, answer_to(l)));
  }
  std::string command(const std::string& words) const {
    return "onefold-ladder learn " + words + " --folder " + folder_.string();
  }

  fs::path root_, folder_;
};

/// With one blank for any gap: a long path breaks lines where a short one does not.
std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line.substr(0, line.size() - !line.empty());
}

bool has(const std::string& text, const std::string& part) {
  return in_one_line(text).find(in_one_line(part)) != std::string::npos;
}

TEST_F(learn, says_how_to_start) {
  const program_answer answer = ask({});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_TRUE(has(answer.out, command("start"))) << answer.out;
  EXPECT_EQ(ask({"check"}).exit_code, 1);
  EXPECT_TRUE(has(out({"check"}), command("start")));
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(learn, copies_the_exercises_and_shows_the_first) {
  const program_answer answer = ask({"start"});
  EXPECT_EQ(answer.exit_code, 0);
  for (const lesson& l : lessons()) {
    EXPECT_EQ(text_of(std::string(l.file)), exercise_text(l));
  }
  EXPECT_TRUE(has(answer.out, "Exercise 1 of 8: The tail")) << answer.out;
  EXPECT_TRUE(has(answer.out, "<- your line")) << answer.out;
  EXPECT_TRUE(has(answer.out, command("check"))) << answer.out;
}

TEST_F(learn, starts_over_nothing_that_is_there) {
  fs::create_directories(folder_);
  write("1_tail.cu", "// mine\n");
  EXPECT_TRUE(has(out({"start"}), "kept: 1_tail.cu"));
  EXPECT_EQ(text_of("1_tail.cu"), "// mine\n");
  out({"goto", "3"});
  const program_answer again = ask({"start"});
  EXPECT_TRUE(has(again.out, "nothing was changed")) << again.out;
  EXPECT_TRUE(has(again.out, "Exercise 3 of 8")) << again.out;
}

TEST_F(learn, checks_hints_answers_and_goes_on) {
  out({"start"});
  EXPECT_EQ(ask({"hint"}).exit_code, 1);
  EXPECT_EQ(ask({"next"}).exit_code, 1);

  const program_answer wrong = ask({"check"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(has(wrong.out, "my_sum: bounds, wrong value")) << wrong.out;
  EXPECT_TRUE(has(wrong.out, "as it was given. Change line 11 of")) << wrong.out;
  EXPECT_TRUE(has(wrong.out, command("hint"))) << wrong.out;

  const hint_branch& hints = hints_for(lessons()[0], "bounds");
  std::string screen;
  for (std::size_t i = 0; i < hints.steps.size(); ++i) {
    EXPECT_FALSE(has(screen, command("answer"))) << screen;
    screen = out({"hint"});
  }
  EXPECT_TRUE(has(screen, "Hints for 'bounds'")) << screen;
  EXPECT_TRUE(has(screen, command("answer"))) << screen;
  EXPECT_EQ(out({"hint"}), screen);
  EXPECT_TRUE(has(out({"answer"}), answer_to(lessons()[0])));

  solve(lessons()[0]);
  const program_answer right = ask({"check"});
  EXPECT_TRUE(has(right.out, "yours")) << right.out;
  EXPECT_TRUE(has(right.out, std::string(lessons().front().rung))) << right.out;
  EXPECT_EQ(right.exit_code, 0);
  EXPECT_TRUE(has(right.out, "Exercise 1 is done.")) << right.out;
  EXPECT_TRUE(has(right.out, command("next"))) << right.out;
  EXPECT_TRUE(has(right.out, "onefold-ladder explain reduce/modulo")) << right.out;
  EXPECT_TRUE(has(out({"next"}), "Exercise 2 of 8"));
}

TEST_F(learn, asks_for_the_goal_beyond_a_right_answer) {
  out({"start"});
  out({"goto", "3"});
  std::string text(exercise_text(lessons()[2]));
  // The tree of exercise 1 under the loop of exercise 3: right, and as divergent as before.
  const std::string line = "    const int left = tid;  // <- your line\n";
  text.replace(text.find(line), line.size(),
               "    const int left = tid % (2 * s) == 0 ? tid : blockDim.x;\n");
  write("3_strided.cu", text);
  const program_answer answer = ask({"check"});
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(has(answer.out, "Right, but not yet at the goal")) << answer.out;
  EXPECT_TRUE(has(out({"hint"}), "Hints for 'right'"));
}

TEST_F(learn, finishes_with_every_exercise_solved) {
  out({"start"});
  for (const lesson& l : lessons()) {
    solve(l);
    EXPECT_EQ(ask({"check"}).exit_code, 0) << l.file;
    if (l.number != lessons().size()) {
      EXPECT_TRUE(has(out({"next"}), "Exercise " + std::to_string(l.number + 1))) << l.file;
    }
  }
  EXPECT_TRUE(has(out({"next"}), "All exercises are done."));
  EXPECT_TRUE(has(out({}), "8 of 8 exercises are done."));
  const std::string list = out({"list"});
  for (const lesson& l : lessons()) {
    const std::size_t line = list.find(l.file);
    EXPECT_TRUE(list.substr(line, list.find('\n', line) - line).ends_with(" done")) << list;
  }
}

TEST_F(learn, resets_a_file_and_keeps_the_learners) {
  out({"start"});
  write("1_tail.cu", "// mine\n");
  EXPECT_TRUE(has(out({"reset"}), "1_tail.yours.cu"));
  EXPECT_EQ(text_of("1_tail.cu"), exercise_text(lessons()[0]));
  EXPECT_EQ(text_of("1_tail.yours.cu"), "// mine\n");
  write("1_tail.cu", "// mine too\n");
  EXPECT_TRUE(has(out({"reset", "1"}), "1_tail.yours-2.cu"));
  EXPECT_EQ(text_of("1_tail.yours.cu"), "// mine\n");
  EXPECT_TRUE(has(out({"reset"}), "is as given."));
}

TEST_F(learn, says_that_a_file_is_gone_and_puts_it_back) {
  out({"start"});
  fs::remove(folder_ / "1_tail.cu");
  const program_answer answer = ask({"check"});
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(has(answer.out, "1_tail.cu is not there.")) << answer.out;
  EXPECT_TRUE(has(answer.out, command("reset 1"))) << answer.out;
  out({"reset", "1"});
  EXPECT_EQ(text_of("1_tail.cu"), exercise_text(lessons()[0]));
}

TEST_F(learn, refuses_what_it_does_not_know) {
  out({"start"});
  EXPECT_EQ(ask({"goto", "9"}).exit_code, 2);
  EXPECT_EQ(ask({"goto", "9"}).error,
            "onefold-ladder: learn: there is no exercise 9; they are 1 to 8\n");
  EXPECT_EQ(ask({"goto", "0"}).exit_code, 2);
  EXPECT_EQ(ask({"goto"}).exit_code, 2);
  EXPECT_EQ(ask({"swim"}).exit_code, 2);
}

TEST_F(learn, names_a_spoilt_course_file_and_leaves_it) {
  out({"start"});
  for (const char* text : {"", "{", "[]", "{\"schema\": 1, \"current\": 9, \"exercises\": []}",
                           "{\"schema\": 2, \"current\": 1, \"exercises\": []}"}) {
    write("course.json", text);
    const program_answer answer = ask({});
    EXPECT_EQ(answer.exit_code, 1) << text;
    EXPECT_TRUE(has(answer.error, "course.json is not as the course wrote it")) << answer.error;
    EXPECT_EQ(text_of("course.json"), text);
  }
}

TEST_F(learn, says_which_folder_takes_no_files) {
  folder_ = "/proc/onefold-course";
  const program_answer nowhere = ask({"start"});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_TRUE(has(nowhere.error, "cannot make the folder /proc/onefold-course")) << nowhere.error;
  folder_ = root_ / "file";
  std::ofstream(folder_) << "a file\n";
  EXPECT_TRUE(has(ask({"start"}).error, "; name another one with --folder"));
}

TEST_F(learn, says_that_there_is_no_compiler) {
  out({"start"});
  const char* before = std::getenv("CXX");
  const std::string kept = before == nullptr ? "" : before;
  setenv("CXX", "/nowhere/g++", 1);
  const program_answer answer = ask({"check"});
  kept.empty() ? unsetenv("CXX") : setenv("CXX", kept.c_str(), 1);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(has(answer.error, "name a C++ compiler")) << answer.error;
  EXPECT_TRUE(has(out({"list"}), "The tail")) << "the course is as it was";
}

TEST_F(learn, speaks_json) {
  const auto page = [this](std::vector<std::string> words) {
    words.emplace_back("--json");
    return nlohmann::json::parse(out(std::move(words)));
  };
  EXPECT_EQ(page({}).at("started"), false);
  EXPECT_EQ(page({"start"}).at("exercise").at("number"), 1);
  const auto checked = page({"check"});
  EXPECT_EQ(checked.at("exit_code"), 1);
  EXPECT_EQ(checked.at("try").at("verdict"), "bounds, wrong value");
  EXPECT_EQ(checked.at("exercise").at("line"), 11);
  EXPECT_EQ(page({"hint"}).at("hints").size(), 1u);
  EXPECT_EQ(page({"list"}).at("exercises").size(), lessons().size());
  EXPECT_EQ(page({"next"}).at("next").at(0), command("check"));
}

}  // namespace
}  // namespace onefold::ladder::test
