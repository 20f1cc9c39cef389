// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/mark_command.hpp"

#include "ladder/commands/mark_task.hpp"
#include "ladder/try/object/interrupts.hpp"
#include "ladder/try/object/sandbox.hpp"
#include "ladder/try/source/source.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace onefold::ladder {
namespace {

namespace fs = std::filesystem;
using learner::sandbox_kind;

constexpr double longest_run_s = 60;

std::string text_in(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

void write_file(const std::string& name, const std::string& text) {
  std::ofstream stream(name + ".part");
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + name + "; name another by -o");
  fs::rename(name + ".part", name);
}

struct submissions {
  std::vector<std::string> files, links;
};

/// The .cu files below a folder, by name. Links are not followed: they may name any file.
submissions submissions_in(const std::string& folder) {
  submissions found;
  std::vector<std::string>& files = found.files;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(folder, failure), end; at != end;
       at.increment(failure)) {
    if (at->path().extension() != ".cu") continue;
    const std::string name = at->path().lexically_relative(folder).string();
    if (at->is_symlink()) {
      found.links.push_back(name);
    } else if (at->is_regular_file()) {
      files.push_back(name);
    }
  }
  if (failure) throw std::invalid_argument(fmt::format("{}: {}", folder, failure.message()));
  if (files.empty()) throw std::invalid_argument(folder + ": has no .cu files");
  std::sort(files.begin(), files.end());
  std::sort(found.links.begin(), found.links.end());
  return found;
}

class marker {
 public:
  marker(const mark_request& request, sandbox_kind kind)
      : request_(request), kind_(kind), task_(read_mark_task(request.task)) {
    const json before = json::parse(text_in(request.marks + ".json"), nullptr, false);
    // What a sandbox of another kind said is made again.
    const std::string conditions = std::string(to_string(kind_)) + text_in(request.task);
    const submissions found = submissions_in(request.folder);
    links_ = found.links;
    for (const std::string& file : found.files) {
      const fs::path path = fs::path(request.folder) / file;
      // Of a file that try refuses, its length will do.
      const std::uintmax_t bytes = fs::file_size(path);
      const std::string text =
          bytes > learner::max_source_bytes ? fmt::format("{}", bytes) : text_in(path);
      json mark = {{"file", file}, {"key", std::hash<std::string>()(conditions + text)}};
      for (const json& old : before.is_object() ? before.value("marks", json()) : json()) {
        if (old.value("file", "") == file && old.value("key", json()) == mark["key"]) mark = old;
      }
      marks_.push_back(mark);
    }
  }

  void mark_all() {
    const learner::interrupts_held held;
    std::vector<std::thread> workers;
    const unsigned jobs =
        request_.jobs != 0 ? request_.jobs : std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < jobs; ++i) workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
    if (!failure_.empty()) throw std::runtime_error(failure_);
    save();
  }

  std::string text() const {
    std::size_t width = 0, right = 0, good = 0;
    for (const json& mark : marks_) width = std::max(width, name_in(mark).size());
    std::string lines;
    for (const json& mark : marks_) {
      const bool met = mark.value("goal_met", false);
      const std::string verdict = mark.value("verdict", "not tried");
      right += verdict == "right" ? 1 : 0;
      good += met ? 1 : 0;
      lines += fmt::format("{:<{}}  {:<8}  {}\n", printable(name_in(mark)), width,
                           met ? "goal met" : "", verdict);
    }
    for (const std::string& link : links_)
      lines += fmt::format("{}: not tried, since it is a link; copy its file\n", printable(link));
    return lines + fmt::format("\n{} files: {} right, {} with the goal met; sandbox: {}; {}.csv, "
                               "{}.json\n",
                               marks_.size(), right, good, to_string(kind_), request_.marks,
                               request_.marks);
  }

 private:
  static std::string name_in(const json& mark) { return mark.at("file"); }

  void work() {
    for (std::size_t i = next_++; i < marks_.size(); i = next_++) {
      if (marks_[i].contains("verdict")) continue;
      try {
        const json made = mark((fs::path(request_.folder) / name_in(marks_[i])).string());
        const std::lock_guard lock(mutex_);
        marks_[i].update(made);
        save();
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        failure_ = error.what();
        next_ = marks_.size();
      }
      if (learner::interrupts_held::any()) next_ = marks_.size();
    }
  }

  /// Nothing after an interrupt.
  json mark(const std::string& file) const {
    const auto start = std::chrono::steady_clock::now();
    const learner::child_result run = run_in_sandbox(kind_, task_.words, file, longest_run_s);
    if (run.interrupted) return json::object();
    json made;
    try {
      made = mark_of(run.output, task_);
    } catch (const json::exception&) {  // What it printed is no report.
      made = {{"verdict", run.out_of_time ? "no end" : "crash"},
              {"goal_met", false},
              {"goals", json::array()},
              {"message", printable(run.output.substr(0, 200))}};
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    made["seconds"] = std::round(taken.count() * 100) / 100;
    return made;
  }

  /// The marks that are there: what the next run need not do.
  void save() const {
    json done = json::array();
    for (const json& mark : marks_) {
      if (mark.contains("verdict")) done.push_back(mark);
    }
    const json page = {{"schema", 1}, {"marks", done}};
    write_file(request_.marks + ".json",
               page.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
    write_file(request_.marks + ".csv", marks_csv(done, task_));
  }

  const mark_request& request_;
  sandbox_kind kind_;
  mark_task task_;
  std::vector<json> marks_;  ///< one a file; without a verdict until it is made
  std::vector<std::string> links_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::string failure_;
};

sandbox_kind chosen_sandbox(bool trust) {
  if (trust) return sandbox_kind::none;
  if (const auto found = learner::find_sandbox()) return *found;
  throw std::invalid_argument(
      "mark: no sandbox works here: neither bubblewrap nor user namespaces; install bubblewrap, or "
      "add --trust to compile and run the files with your own rights");
}

}  // namespace

CLI::App* add_mark_command(CLI::App& app, mark_request& request) {
  CLI::App* command = app.add_subcommand("mark", "Try every file of a class, each in a sandbox");
  command->add_option("DIR", request.folder, "Folder with the .cu files")->required();
  command->add_option("--task", request.task, "What they are to compute, as TOML")->required();
  command->add_option("-o", request.marks, "Write NAME.csv and NAME.json; go on where they end")
      ->capture_default_str();
  command->add_option("--jobs", request.jobs, "Files at once (default: one a processor)");
  command->add_flag("--trust", request.trust, "Run the files with your own rights: no sandbox");
  return command;
}

program_answer answer_mark(const mark_request& request) {
  marker all(request, chosen_sandbox(request.trust));
  all.mark_all();
  return {all.text(), "", 0};
}

}  // namespace onefold::ladder
