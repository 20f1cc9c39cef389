// SPDX-License-Identifier: Apache-2.0
// Files of strangers: what they do to a machine, and what their verdicts are. Where this machine
// has no sandbox, the program refuses to run them, which is what is tested then.

#include "ladder/commands/mark_task.hpp"
#include "ladder/try/object/sandbox.hpp"
#include "ladder/try/object/seal.hpp"
#include "tests/ladder/try/own_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

namespace onefold::ladder::test {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

constexpr const char* class_folder = "examples/class";
constexpr const char* class_task = "examples/class/task.toml";

std::string text_in(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// One run of `mark`, with its results in a folder of its own.
class marking {
 public:
  explicit marking(const std::string& folder, const std::string& options = "") {
    run(folder, options);
  }

  void run(const std::string& folder, const std::string& options = "") {
    const std::string command = std::string(ONEFOLD_LADDER_PROGRAM " mark ") + folder + " --task " +
                                class_task + " -o " + (results_.path() / "marks").string() + " " +
                                options + " 2>&1";
    const own_tmpdir temporary;
    printed.clear();
    FILE* const stream = popen(command.c_str(), "r");
    for (int c = 0; (c = std::fgetc(stream)) != EOF;) printed += static_cast<char>(c);
    const int status = pclose(stream);
    exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    left_behind = entries_in(temporary.path());
    csv = text_in(results_.path() / "marks.csv");
    all_text = printed + csv + text_in(results_.path() / "marks.json");
    const json page = json::parse(text_in(results_.path() / "marks.json"), nullptr, false);
    rows = page.is_object() ? page.at("marks") : json::array();
  }

  const json& row(const std::string& file) const {
    for (const json& r : rows) {
      if (r.at("file") == file) return r;
    }
    static const json none = {{"verdict", "no row"}, {"goal_met", true}, {"message", ""}};
    return none;
  }
  std::string verdict(const std::string& file) const { return row(file).at("verdict"); }

  std::string printed, csv, all_text;
  int exit_code = -1;
  std::size_t left_behind = 0;  ///< in the folder of temporary files
  json rows;

 private:
  own_folder results_;
};

bool has_sandbox() {
  static const bool has = learner::find_sandbox().has_value();
  return has;
}

void expect_refusal(const marking& marks) {
  EXPECT_EQ(marks.exit_code, 2) << marks.printed;
  EXPECT_NE(marks.printed.find("no sandbox works here"), std::string::npos) << marks.printed;
  EXPECT_TRUE(marks.rows.empty());
}

/// Programs in a folder that come before all others of their names, and fail.
class without_programs {
 public:
  explicit without_programs(const std::vector<std::string>& names) : path_(std::getenv("PATH")) {
    for (const std::string& name : names) {
      const fs::path file = folder_.path() / name;
      std::ofstream(file) << "#!/bin/sh\nexit 1\n";
      fs::permissions(file, fs::perms::owner_all);
    }
    setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
  }
  without_programs(const without_programs&) = delete;
  without_programs& operator=(const without_programs&) = delete;
  ~without_programs() { setenv("PATH", path_.c_str(), 1); }

 private:
  own_folder folder_;
  std::string path_;
};

/// Whether a process of this machine has the word on its command line.
bool is_running(const std::string& word) {
  for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
    if (text_in(process.path() / "cmdline").find(word) != std::string::npos) return true;
  }
  return false;
}

/// A folder with one attack, under a name that no other process has on its command line.
class attack {
 public:
  explicit attack(const std::string& name)
      : file_(name + folder_.path().filename().string() + ".cu") {
    fs::copy_file("tests/ladder/commands/attacks/" + name + ".cu", folder_.path() / file_);
  }

  void expect(const std::string& verdict, const std::string& options = "") const {
    const marking marks(folder_.path().string(), options);
    if (options.empty() && !has_sandbox()) return expect_refusal(marks);
    EXPECT_EQ(marks.exit_code, 0);
    EXPECT_EQ(marks.verdict(file_), verdict) << marks.all_text;
    EXPECT_TRUE(verdict == "right" || !marks.row(file_).at("goal_met"));
    EXPECT_FALSE(is_running(file_));
    EXPECT_EQ(marks.left_behind, 0u);
    EXPECT_EQ(entries_in(folder_.path()), 1u);
    std::cout << "  " << file_ << ": " << marks.row(file_).value("seconds", 0.0) << " s\n";
  }

  std::string folder() const { return folder_.path().string(); }
  const std::string& file() const { return file_; }

 private:
  own_folder folder_;
  std::string file_;
};

TEST(a_forged_report, is_no_verdict) {
  attack("forged_lines").expect("forged report");
  attack("forged_lines").expect("forged report", "--trust");
}

TEST(a_forged_report, with_the_token_of_the_session_is_caught_by_random_elements) {
  attack("forged_seal").expect("wrong value");
  attack("forged_seal").expect("wrong value", "--trust");
}

TEST(a_constructor, writes_no_files) {
  attack("files").expect("right", "--trust");
  for (const char* folder : {"/tmp", ".", "/", "/usr"}) {
    EXPECT_FALSE(fs::exists(fs::path(folder) / "onefold-attack"));
    EXPECT_FALSE(fs::exists(fs::path(folder) / "onefold-attack-folder"));
  }
}

TEST(a_constructor, starts_no_processes) {
  attack("forks").expect("right");
  attack("forks").expect("right", "--trust");
}

TEST(a_constructor, that_prints_without_end_costs_no_memory) {
  attack("prints").expect("right");
}

TEST(a_constructor, does_not_see_the_environment) {
  setenv("ONEFOLD_TEST_SECRET", "secret", 1);
  attack("environment").expect("right");
}

TEST(a_constructor, that_does_not_end_is_ended) {
  attack("endless").expect("no end");
  attack("silent").expect("no end");
}

TEST(an_include, quotes_no_file_of_the_machine) {
  const attack include("include");
  include.expect("does not compile");
  EXPECT_EQ(marking(include.folder()).all_text.find("root:"), std::string::npos);
}

TEST(a_link, to_a_file_of_the_machine_is_no_submission) {
  const own_folder folder;
  fs::create_symlink("/etc/passwd", folder.path() / "link.cu");
  fs::copy_file("examples/class/tree.cu", folder.path() / "tree.cu");
  const marking marks(folder.path().string(), "--trust");
  EXPECT_EQ(marks.rows.size(), 1u) << marks.printed;
  EXPECT_NE(marks.printed.find("link.cu: not tried, since it is a link"), std::string::npos)
      << marks.printed;
}

void expect_class(const marking& marks) {
  EXPECT_EQ(marks.verdict("shuffle.cu"), "right") << marks.all_text;
  EXPECT_TRUE(marks.row("shuffle.cu").at("goal_met"));
  EXPECT_EQ(marks.verdict("tree.cu"), "right");
  EXPECT_FALSE(marks.row("tree.cu").at("goal_met"));
  EXPECT_EQ(marks.row("tree.cu").at("goals").at(0).at("value"), 45);
  // As few wavefronts as the goal allows, and wrong.
  EXPECT_EQ(marks.row("race.cu").at("goals").at(0).at("value"), 9);
  EXPECT_NE(marks.verdict("race.cu").find("race"), std::string::npos);
  EXPECT_FALSE(marks.row("race.cu").at("goal_met"));
}

TEST(a_class, is_marked_in_every_sandbox) {
  expect_class(marking(class_folder, "--trust"));
  const marking marks(class_folder);
  has_sandbox() ? expect_class(marks) : expect_refusal(marks);
}

TEST(a_class, is_marked_in_namespaces_where_bubblewrap_does_not_work) {
  const without_programs none({"bwrap"});
  const marking marks(class_folder);
  if (!learner::find_sandbox()) return expect_refusal(marks);
  expect_class(marks);
  EXPECT_NE(marks.printed.find("sandbox: namespaces"), std::string::npos) << marks.printed;
  const attack include("include");
  include.expect("does not compile");
  attack("files").expect("right");
}

TEST(a_class, is_refused_where_no_sandbox_works) {
  const without_programs none({"bwrap", "unshare"});
  expect_refusal(marking(class_folder));
}

TEST(a_class, goes_on_where_the_last_run_ended) {
  const own_folder folder;
  for (const char* name : {"tree.cu", "race.cu"}) {
    fs::copy_file(fs::path(class_folder) / name, folder.path() / name);
  }
  marking marks(folder.path().string(), "--trust");
  const json before = marks.row("tree.cu");
  fs::copy_file("examples/class/shuffle.cu", folder.path() / "race.cu",
                fs::copy_options::overwrite_existing);
  fs::copy_file("examples/class/shuffle.cu", folder.path() / "new.cu");
  marks.run(folder.path().string(), "--trust");
  EXPECT_EQ(marks.row("tree.cu"), before) << "It is the same file: seconds, too.";
  EXPECT_EQ(marks.verdict("race.cu"), "right");
  EXPECT_EQ(marks.verdict("new.cu"), "right");
  EXPECT_EQ(marks.rows.size(), 3u);
}

TEST(a_class, is_marked_again_in_a_sandbox_of_another_kind) {
  if (!has_sandbox()) GTEST_SKIP() << "no sandbox works here";
  const own_folder folder;
  fs::copy_file(fs::path(class_folder) / "tree.cu", folder.path() / "tree.cu");
  marking marks(folder.path().string(), "--trust");
  const json before = marks.row("tree.cu");
  marks.run(folder.path().string());
  EXPECT_NE(marks.row("tree.cu").at("key"), before.at("key"));
  EXPECT_EQ(marks.rows.size(), 1u);
}

TEST(a_seal, tells_lines_with_its_token_from_others) {
  const learner::transcript_seal seal;
  const std::string& token = seal.token();
  EXPECT_EQ(seal.lines_of(token + "a\n" + token + "b\n" + token + "cut"),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(seal.lines_of(token + "a\nb\n"), std::nullopt);
  EXPECT_EQ(seal.lines_of("\n"), std::nullopt);
  EXPECT_NE(learner::transcript_seal().token(), token);
}

std::string task_error(const std::string& text) {
  const own_folder folder;
  const std::string file = folder.path() / "task.toml";
  std::ofstream(file) << text;
  try {
    read_mark_task(file);
  } catch (const std::invalid_argument& error) {
    return std::string(error.what()).substr(file.size());
  }
  return "";
}

TEST(a_task, names_the_line_that_is_wrong) {
  const std::string good = text_in(class_task);
  EXPECT_EQ(task_error(good), "");
  EXPECT_EQ(task_error("kernel = \"sum\"\nkernels = 3\n"), ":2: 'kernels' is no key of a task");
  EXPECT_EQ(task_error("kernel = \"sum\"\n"), ":1: 'arguments' is missing");
  EXPECT_TRUE(task_error("kernel = \n").starts_with(":1: "));
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return task_error(text);
  };
  EXPECT_NE(with("expect = \"sum\"", "expect = \"summ\"").find("summ"), std::string::npos);
  EXPECT_NE(with("expect = \"sum\"", "expect = \"right.npy\"").find("no file"), std::string::npos);
  EXPECT_NE(with("type = \"int\"", "type = \"integer\"").find("integer"), std::string::npos);
  EXPECT_TRUE(task_error(good + "[[goal]]\ncounter = \"wave\"\nat_most = 1\n")
                  .find("'wave' is no counter") != std::string::npos);
}

TEST(a_row, is_no_formula_of_a_spreadsheet) {
  const json mark = {{"file", "=1+1.cu"}, {"verdict", "crash"},      {"goal_met", false},
                     {"goals", {}},       {"message", "say \"no\""}, {"seconds", 1}};
  EXPECT_EQ(marks_csv(json::array({mark}), {}),
            "file,verdict,goal_met,message,seconds\n\"'=1+1.cu\",\"crash\",false,\"say "
            "\"\"no\"\"\",1\n");
}

TEST(a_message, says_what_is_wrong_where_no_line_is_to_blame) {
  json page = {{"verdict", "wrong value"}, {"exit_code", 1}, {"message", ""}};
  page["runs"] = {{{"n", 3}, {"answer", "-1"}, {"expected", "6"}, {"answer_right", false}}};
  EXPECT_EQ(mark_of(page.dump(), {}).at("message"), "n 3: the answer is -1, not 6");
  page["lost"] = "n 3: element 2 never reaches the answer";
  EXPECT_EQ(mark_of(page.dump(), {}).at("message"), page["lost"]);
}

TEST(a_goal, is_met_only_by_a_right_answer_that_was_verified) {
  json page = {{"verdict", "right"}, {"exit_code", 0}, {"verified", 3}, {"message", ""}};
  EXPECT_TRUE(mark_of(page.dump(), {}).at("goal_met"));
  page["exit_code"] = 3;
  EXPECT_FALSE(mark_of(page.dump(), {}).at("goal_met"));
  page["exit_code"] = 0;
  page["verdict"] = "race";
  EXPECT_FALSE(mark_of(page.dump(), {}).at("goal_met"));
  page["verdict"] = "right";
  page.erase("verified");
  EXPECT_FALSE(mark_of(page.dump(), {}).at("goal_met"));
}

}  // namespace
}  // namespace onefold::ladder::test
