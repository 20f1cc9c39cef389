// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/report_command.hpp"

#include "ladder/page/explain.hpp"
#include "ladder/page/page_json.hpp"
#include "ladder/report/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace onefold::ladder {
namespace {

namespace fs = std::filesystem;

/// A rung is tried under the schedules at a length that keeps the report a matter of seconds; a
/// twin where it shows its defect.
constexpr std::size_t schedules_n = 4096;

[[noreturn]] void refuse(const fs::path& place, const std::string& why) {
  throw std::invalid_argument(
      fmt::format("-o {}: {}; name a file, or a folder, where you may write", place.string(), why));
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void check_folder(const fs::path& place, const fs::path& folder) {
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  refuse(place, fmt::format("folder {}: {}", folder.string(), std::strerror(errno)));
}

void check_file(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) refuse(file, "it is a folder");
  check_folder(file, folder_of(file));
}

/// The nearest folder above that is there already has to take the new ones.
void check_folder_of_pages(const fs::path& place) {
  std::error_code ignored;
  fs::path there = fs::absolute(place);
  while (!fs::exists(there, ignored) && there != there.parent_path()) there = there.parent_path();
  if (!fs::is_directory(there, ignored)) refuse(place, "it is a file");
  check_folder(place, there);
}

[[noreturn]] void fail(const fs::path& file, const std::string& why) {
  throw std::runtime_error(fmt::format(
      "-o {}: writing failed: {}; make room there or name another file", file.string(), why));
}

/// Beside its place first and then renamed, so that no half of a file is ever seen.
void write_file(const fs::path& file, const std::string& text) {
  fs::path beside = file;
  beside += fmt::format(".{}.part", getpid());
  std::ofstream out(beside, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (out) fs::rename(beside, file, error);
  if (out && !error) return;
  const std::string why = error ? error.message() : std::strerror(errno);
  fs::remove(beside, error);
  fail(file, why);
}

/// Returns how many bytes were written.
std::size_t write_folder(const fs::path& folder, const std::vector<story>& course) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(folder, error.message());
  std::size_t bytes = 0;
  for (const auto& [name, text] : course_folder(course)) {
    write_file(folder / name, text);
    bytes += text.size();
  }
  return bytes;
}

std::vector<page> pages_of(const selection& chosen) {
  trials done;
  std::vector<page> pages;
  for (const climb_step& s : chosen.steps) {
    explain_options options{s.options};
    if (!s.step->published) options.schedules_n = std::min(s.options.n, schedules_n);
    pages.push_back(explain(*s.step, options, done));
  }
  return pages;
}

std::string summary(const fs::path& file, std::size_t bytes, const std::vector<page>& pages) {
  std::string text;
  for (const page& p : pages) {
    if (p.as_expected()) continue;
    text += fmt::format("{}: not as the ladder says: see onefold-ladder explain {}\n",
                        p.subject->name, p.subject->name);
  }
  return text + fmt::format("{}: {} rungs, {:.1f} MB\n", file.string(), pages.size(),
                            static_cast<double>(bytes) * 1e-6);
}

}  // namespace

program_answer answer_report(const report_request& request, const selection& chosen) {
  const std::string usual = request.json ? "onefold-ladder.json" : "onefold-ladder.html";
  const fs::path place = request.file.empty() ? usual : request.file;
  const bool folder = !request.json && place.extension() != ".html" && place.extension() != ".htm";
  if (folder) {
    check_folder_of_pages(place);
  } else {
    check_file(place);
  }
  const std::vector<page> pages = pages_of(chosen);
  std::size_t bytes = 0;
  if (folder) {
    bytes = write_folder(place, stories(pages));
  } else {
    const std::string text = request.json ? pages_json(pages) : course_file(stories(pages));
    write_file(place, text);
    bytes = text.size();
  }
  std::string said = summary(folder ? place / "index.html" : place, bytes, pages);
  for (const std::string& why : chosen.left_out) said += fmt::format("left out: {}\n", why);
  const bool good = std::ranges::all_of(pages, &page::as_expected);
  return {said, "", good ? 0 : 1};
}

}  // namespace onefold::ladder
