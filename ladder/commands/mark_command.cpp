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
#include <cstdint>
#include <filesystem>
#include <fstream>
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

/// FNV-1a.
std::string key_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

/// The .cu files below a folder, by name. Links are not followed: they may name any file.
std::vector<std::string> submissions(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(folder, failure), end; at != end;
       at.increment(failure)) {
    if (at->path().extension() != ".cu" || at->is_symlink() || !at->is_regular_file()) continue;
    files.push_back(fs::relative(at->path(), folder).string());
  }
  if (failure) throw std::invalid_argument(fmt::format("{}: {}", folder, failure.message()));
  if (files.empty()) throw std::invalid_argument(folder + ": has no .cu files");
  std::sort(files.begin(), files.end());
  return files;
}

class marker {
 public:
  marker(const mark_request& request, sandbox_kind kind)
      : request_(request), kind_(kind), task_(read_mark_task(request.task)) {
    const std::vector<mark_row> before = marks_from(text_in(request.marks + ".json"));
    const std::string task_text = text_in(request.task);
    for (const std::string& file : submissions(request.folder)) {
      mark_row row;
      row.file = file;
      row.key = key_of(task_text + text_in(fs::path(request.folder) / file));
      const auto known = std::find_if(before.begin(), before.end(), [&row](const mark_row& old) {
        return old.file == row.file && old.key == row.key;
      });
      rows_.push_back(known == before.end() ? row : *known);
    }
  }

  void mark_all() {
    const learner::interrupts_held held;
    std::vector<std::thread> workers;
    const unsigned jobs =
        request_.jobs != 0 ? request_.jobs : std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < jobs; ++i) workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
    save();
    if (!failure_.empty()) throw std::runtime_error(failure_);
  }

  std::string text() const {
    std::size_t width = 4, right = 0, good = 0;
    for (const mark_row& row : rows_) width = std::max(width, row.file.size());
    std::string lines;
    for (const mark_row& row : rows_) {
      right += row.verdict == "right" ? 1 : 0;
      good += row.goal_met ? 1 : 0;
      lines += fmt::format("{:<{}}  {:<8}  {}\n", row.file, width, row.goal_met ? "goal met" : "",
                           row.verdict);
    }
    return lines + fmt::format("\n{} files: {} right, {} with the goal met; sandbox: {}; {}.csv, "
                               "{}.json\n",
                               rows_.size(), right, good, to_string(kind_), request_.marks,
                               request_.marks);
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < rows_.size(); i = next_++) {
      if (!rows_[i].verdict.empty()) continue;
      mark_row row = rows_[i];
      try {
        mark(row);
        const std::lock_guard lock(mutex_);
        rows_[i] = row;
        save();
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        failure_ = error.what();
      }
      if (learner::interrupts_held::any() || !failure_.empty()) return;
    }
  }

  void mark(mark_row& row) const {
    const auto start = std::chrono::steady_clock::now();
    const std::string file = (fs::path(request_.folder) / row.file).string();
    const learner::child_result run = run_in_sandbox(kind_, task_.words, file, longest_run_s);
    if (run.interrupted) return;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    row.seconds = taken.count();
    try {
      read_report(row, run.output, task_);
    } catch (const std::exception&) {  // What it printed is no report.
      row.verdict = run.out_of_time ? "no end" : "crash";
      row.goal_met = false;
      row.message = run.out_of_time ? "" : run.output.substr(0, run.output.find('\n'));
    }
  }

  /// The rows that are there: what the next run need not do.
  void save() const {
    std::vector<mark_row> done;
    for (const mark_row& row : rows_) {
      if (!row.verdict.empty()) done.push_back(row);
    }
    write_file(request_.marks + ".json", marks_json(done, task_));
    write_file(request_.marks + ".csv", marks_csv(done, task_));
  }

  const mark_request& request_;
  sandbox_kind kind_;
  mark_task task_;
  std::vector<mark_row> rows_;
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
