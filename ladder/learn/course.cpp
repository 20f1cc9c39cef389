// SPDX-License-Identifier: Apache-2.0
#include "ladder/learn/course.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder {
namespace {

namespace fs = std::filesystem;

constexpr const char* progress_name = "course.json";
constexpr int schema = 1;

std::string text_of_file(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Beside its place first and then renamed, so that no half of a file is ever seen.
void write_file(const fs::path& file, std::string_view text) {
  fs::path part = file;
  part += fmt::format(".{}.part", getpid());
  errno = 0;
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (out) fs::rename(part, file, error);
  if (out && !error) return;
  const std::string why = error ? error.message() : std::strerror(errno);
  fs::remove(part, error);
  throw std::runtime_error(
      fmt::format("cannot write {}: {}; make the folder writable, or name another one with "
                  "--folder",
                  file.string(), why));
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && fs::is_directory(folder, error)) return;
  throw std::runtime_error(
      fmt::format("cannot make the folder {}: {}; name another one with --folder", folder.string(),
                  error ? error.message() : "a file has this name"));
}

nlohmann::json json_of(const lesson& l, const exercise_progress& p) {
  return {{"number", l.number},
          {"done", p.done},
          {"checks", p.checks},
          {"verdict", p.verdict},
          {"hints", p.hints}};
}

exercise_progress progress_of(const nlohmann::json& entry) {
  exercise_progress p;
  entry.at("done").get_to(p.done);
  entry.at("checks").get_to(p.checks);
  entry.at("verdict").get_to(p.verdict);
  entry.at("hints").get_to(p.hints);
  return p;
}

/// The first free one of name.yours.cu, name.yours-2.cu, ...
fs::path name_for_the_learners(const fs::path& file) {
  const std::string stem = (file.parent_path() / file.stem()).string();
  fs::path name = stem + ".yours.cu";
  for (int i = 2; fs::exists(name); ++i) name = fmt::format("{}.yours-{}.cu", stem, i);
  return name;
}

}  // namespace

course::course(fs::path folder) : folder_(std::move(folder)), progress_(lessons().size()) {}

fs::path course::usual_folder() {
  const fs::path usual = "onefold-course";
  return !is_there(usual) && is_there(".") ? fs::path(".") : usual;
}

bool course::is_there(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / progress_name, ignored);
}

course course::open(const fs::path& folder) {
  course c(folder);
  const fs::path file = folder / progress_name;
  try {
    const auto page = nlohmann::json::parse(text_of_file(file));
    if (page.at("schema") != schema) throw std::invalid_argument("another version wrote it");
    const auto number = page.at("current").get<std::size_t>();
    if (number == 0 || number > lessons().size()) {
      throw std::invalid_argument(fmt::format("there is no exercise {}", number));
    }
    c.current_ = number - 1;
    for (const auto& entry : page.at("exercises")) {
      const auto at = entry.at("number").get<std::size_t>();
      if (at != 0 && at <= c.progress_.size()) c.progress_[at - 1] = progress_of(entry);
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("{} is not as the course wrote it ({}); remove it and start again: your "
                    "exercise files stay as they are",
                    file.string(), error.what()));
  }
  return c;
}

course course::start(const fs::path& folder) {
  make_folder(folder);
  course c(folder);
  for (const lesson& l : lessons()) {
    if (!c.has_file(l)) write_file(c.file_of(l), exercise_text(l));
  }
  c.save();
  return c;
}

bool course::all_done() const {
  return std::all_of(progress_.begin(), progress_.end(),
                     [](const exercise_progress& p) { return p.done; });
}

const lesson& course::next_open() const {
  for (std::size_t step = 1; step <= progress_.size(); ++step) {
    const std::size_t at = (current_ + step) % progress_.size();
    if (!progress_[at].done) return lessons()[at];
  }
  return current();
}

bool course::has_file(const lesson& l) const {
  std::error_code ignored;
  return fs::exists(file_of(l), ignored);
}

bool course::is_as_given(const lesson& l) const {
  return has_file(l) && text_of_file(file_of(l)) == exercise_text(l);
}

fs::path course::restore(const lesson& l) {
  fs::path kept;
  const fs::path file = file_of(l);
  if (has_file(l) && !is_as_given(l)) {
    kept = name_for_the_learners(file);
    std::error_code error;
    fs::rename(file, kept, error);
    if (error) {
      throw std::runtime_error(fmt::format("cannot rename {} to {}: {}; nothing was changed",
                                           file.string(), kept.string(), error.message()));
    }
  }
  write_file(file, exercise_text(l));
  return kept;
}

void course::save() const {
  nlohmann::json page = {{"schema", schema}, {"current", current_ + 1}};
  page["exercises"] = nlohmann::json::array();
  for (const lesson& l : lessons()) page["exercises"].push_back(json_of(l, progress(l)));
  write_file(folder_ / progress_name, page.dump(2) + "\n");
}

}  // namespace onefold::ladder
