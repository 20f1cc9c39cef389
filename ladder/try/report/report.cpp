// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/report/report.hpp"

#include "simt/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace onefold::ladder {
namespace {

constexpr std::array<const char*, 16> worst_first = {"forged report",
                                                     "too slow",
                                                     "crash",
                                                     "no end",
                                                     "no progress",
                                                     "deadlock",
                                                     "divergent barrier",
                                                     "warp mask",
                                                     "bounds",
                                                     "uninitialised",
                                                     "asynchronous copy",
                                                     "race",
                                                     "wrong operator",
                                                     "wrong identity",
                                                     "stale variable",
                                                     "NaN"};

std::string joined(const std::vector<std::string>& kinds, bool never_read, bool wrong_value) {
  std::vector<std::string> wrong;
  for (const char* kind : worst_first) {
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) wrong.emplace_back(kind);
  }
  if (never_read) wrong.emplace_back("elements never read");
  if (wrong_value) wrong.emplace_back("wrong value");
  if (wrong.size() == 1 && wrong.front() == "NaN") return "right except with NaN";
  return wrong.empty() ? "right" : fmt::format("{}", fmt::join(wrong, ", "));
}

}  // namespace

std::string try_run::verdict() const {
  std::vector<std::string> kinds;
  for (const simt::finding& f : findings) kinds.emplace_back(simt::to_string(f.kind));
  return joined(kinds, never_read != 0, !answer_right);
}

std::string try_run::length() const {
  if (data.is_flat()) return std::to_string(n);
  std::string text = fmt::format("{} x {}", data.x, data.y);
  return data.z == 1 ? text : fmt::format("{} x {}", text, data.z);
}

std::string try_defect::text() const {
  std::string line = kind;
  if (!place.file.empty()) line += ": " + simt::to_string(place);
  if (!other.file.empty() && other != place) line += " and " + simt::to_string(other);
  for (const simt::location& more : more_places) {
    line += more.file == place.file ? fmt::format(", {}", more.line) : ", " + simt::to_string(more);
  }
  line += ": " + detail;
  if (times > 1) line += fmt::format(" ({} times)", times);
  return where.empty() ? line : fmt::format("{} [{}]", line, where);
}

bool try_report::clean() const {
  return state == try_state::ran && !runs.empty() && defects.empty() &&
         std::all_of(runs.begin(), runs.end(), [](const try_run& r) { return r.clean(); });
}

std::string try_report::verdict() const {
  switch (state) {
  case try_state::refused:
    return "refused";
  case try_state::not_compiled:
    return "does not compile";
  case try_state::interrupted:
    return "interrupted";
  case try_state::ran:
    break;
  }
  if (runs.empty() && defects.empty()) return "not run";
  std::vector<std::string> kinds;
  for (const try_defect& d : defects) kinds.push_back(d.kind);
  const auto any = [this](auto&& wrong) { return std::any_of(runs.begin(), runs.end(), wrong); };
  return joined(kinds, any([](const try_run& r) { return r.never_read != 0; }),
                any([](const try_run& r) { return !r.answer_right; }));
}

bool try_report::all_schedules() const {
  return std::all_of(simt::all_schedules.begin(), simt::all_schedules.end(),
                     [this](simt::schedule order) {
                       return std::any_of(runs.begin(), runs.end(),
                                          [order](const try_run& r) { return r.order == order; });
                     });
}

int try_report::exit_code() const {
  if (state == try_state::refused) return 2;
  if (!clean()) return 1;
  return all_schedules() ? 0 : 3;
}

}  // namespace onefold::ladder
