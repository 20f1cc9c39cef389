// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/main/program_report.hpp"

#include "ladder/try/report/events.hpp"
#include "simt/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace onefold::ladder {
namespace {

constexpr std::array<const char*, 17> worst_first = {
    "crash",          "no end",       "host access",   "no progress",
    "deadlock",       "launch",       "bounds",        "divergent barrier",
    "warp mask",      "race",         "uninitialised", "asynchronous copy",
    "copy direction", "missing wait", "free",          "leak",
    "exit code"};

bool has(const program_report& r, const char* kind) {
  return std::any_of(r.defects.begin(), r.defects.end(),
                     [kind](const try_defect& d) { return d.kind == kind; });
}

/// The first exit code that is not 0.
int failure(const program_report& r) {
  for (const program_run& run : r.runs) {
    if (run.exit_code.value_or(0) != 0) return *run.exit_code;
  }
  return 0;
}

std::string ending(const program_run& run) {
  return run.exit_code ? fmt::format("exit code {}", *run.exit_code) : "no exit code";
}

/// "exit code 0 under forward, reverse; exit code 1 under lockstep"
std::string endings(const program_report& r) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const program_run& run : r.runs) {
    const std::string end = ending(run);
    if (groups.empty() || groups.back().first != end) {
      groups.emplace_back(end, to_string(run.order));
    } else {
      groups.back().second += std::string(", ") + to_string(run.order);
    }
  }
  std::vector<std::string> parts;
  for (const auto& group : groups) {
    parts.push_back(fmt::format("{} under {}", group.first, group.second));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string launch_table(const program_report& r) {
  if (r.launches.empty()) return "\nno kernel was launched\n";
  std::size_t width = 6;
  for (const program_launch& l : r.launches) width = std::max(width, l.launch.size());
  std::string text =
      fmt::format("\n{:<6}{:<{}}  {:>6}  {:>10}  {:>9}  {:>8}  {:>9}\n", "line", "launch", width,
                  "times", "wavefronts", "conflicts", "sectors", "divergent");
  for (const program_launch& l : r.launches) {
    text += fmt::format("{:<6}{:<{}}  {:>6}  {:>10}  {:>9}  {:>8}  {:>9}\n", l.line, l.launch,
                        width, l.times, l.counts.shared_wavefronts(), l.counts.shared_conflicts(),
                        l.counts.global_sectors(), l.counts.divergent_branches);
  }
  return text;
}

std::string notes(const program_report& r) {
  std::string text;
  if (r.measures_time) {
    text += "note: times between events are the executor's, on this machine's CPU, and no GPU's\n";
  }
  if (!r.error.empty()) {
    text += fmt::format("note: at its end the program had not asked for the error {}\n", r.error);
  }
  return text.empty() ? "" : "\n" + text;
}

std::string defect_lines(const program_report& r) {
  std::string text;
  for (const try_defect& d : r.defects) text += d.text() + "\n";
  return text.empty() ? "" : "\n" + text;
}

std::string printed(const program_report& r) {
  if (r.runs.empty() || r.runs.front().output.empty()) return "";
  const std::string& output = r.runs.front().output;
  return output + (output.ends_with('\n') ? "\n" : "\n\n");
}

learner::json to_json(const program_run& run) {
  learner::json entry = {{"schedule", to_string(run.order)}};
  entry["exit_code"] = run.exit_code ? learner::json(*run.exit_code) : learner::json(nullptr);
  entry["output"] = run.output;
  return entry;
}

learner::json to_json(const program_launch& l) {
  return {{"line", l.line},
          {"launch", l.launch},
          {"times", l.times},
          {"counts", learner::to_json(l.counts)}};
}

const char* to_string(try_state state) {
  constexpr std::array<const char*, 4> words = {"refused", "not compiled", "interrupted", "ran"};
  return words[static_cast<std::size_t>(state)];
}

}  // namespace

std::string program_report::verdict() const {
  if (state == try_state::refused) return "refused";
  if (state == try_state::not_compiled) return "does not compile";
  if (state == try_state::interrupted) return "interrupted";
  std::vector<std::string> wrong;
  for (const char* kind : worst_first) {
    if (has(*this, kind)) wrong.emplace_back(kind);
  }
  if (const int code = failure(*this); code != 0)
    wrong.push_back(fmt::format("exit code {}", code));
  return wrong.empty() ? "clean" : fmt::format("{}", fmt::join(wrong, ", "));
}

int program_report::exit_code() const {
  if (state == try_state::refused) return 2;
  const bool ended = !runs.empty() && std::all_of(runs.begin(), runs.end(), [](const auto& run) {
    return run.exit_code == 0;
  });
  return state == try_state::ran && ended && defects.empty() ? 0 : 1;
}

std::string text_of(const program_report& r) {
  if (r.state == try_state::refused) return fmt::format("onefold-ladder try: {}\n", r.message);
  if (r.state == try_state::interrupted) return "onefold-ladder try: interrupted\n";
  const std::string head = fmt::format("{}: {}\n", r.file, r.verdict());
  if (r.state == try_state::not_compiled) return head + "\n" + r.message;
  return printed(r) + head + endings(r) + "\n" + defect_lines(r) + launch_table(r) + notes(r);
}

std::string json_of(const program_report& r) {
  using learner::json;
  json page = {{"schema", 1},
               {"file", r.file},
               {"state", to_string(r.state)},
               {"message", r.message},
               {"program", true},
               {"arguments", r.arguments},
               {"verdict", r.verdict()},
               {"exit_code", r.exit_code()}};
  json runs = json::array(), defects = json::array(), launches = json::array();
  for (const program_run& run : r.runs) runs.push_back(to_json(run));
  for (const try_defect& d : r.defects) defects.push_back(learner::to_json(d));
  for (const program_launch& l : r.launches) launches.push_back(to_json(l));
  page["runs"] = runs;
  page["defects"] = defects;
  page["launches"] = launches;
  page["measures_time"] = r.measures_time;
  page["error"] = r.error;
  page["run"] = {{"seconds", r.seconds}};
  return page.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace onefold::ladder
