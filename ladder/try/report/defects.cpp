// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/report/defects.hpp"

#include "simt/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

// "a sum" is asked; the article is the same for all four.
const char* asked_for(reduction op) {
  constexpr std::array<const char*, 4> names = {"sum", "product", "maximum", "minimum"};
  return names[static_cast<std::size_t>(op)];
}

bool folds(const store_watch::line& line, reduction op) {
  return line.is(deed_of(op));
}

/// One source line may be several instructions.
void keep_one_a_line(std::vector<try_defect>& defects) {
  std::stable_sort(defects.begin(), defects.end(),
                   [](const try_defect& a, const try_defect& b) { return a.place < b.place; });
  const auto same = [](const try_defect& a, const try_defect& b) { return a.place == b.place; };
  defects.erase(std::unique(defects.begin(), defects.end(), same), defects.end());
}

}  // namespace

try_defect defect_at(const char* kind, const simt::location& place, std::string detail) {
  try_defect d;
  d.kind = kind;
  d.place = place;
  d.detail = std::move(detail);
  return d;
}

std::vector<try_defect> wrong_operators(const stored_lines& lines, reduction op, bool multiplies) {
  const bool any_folds = std::any_of(lines.begin(), lines.end(),
                                     [op](const auto& entry) { return folds(entry.second, op); });
  std::vector<try_defect> defects;
  for (const auto& [pc, line] : lines) {
    const bool copies = line.is(deed::copy);
    if (folds(line, op) || (multiplies && line.is(deed::product)) ||
        (copies && (any_folds || !line.shared_to_shared)))
      continue;
    const auto found = std::find(line.explained.begin(), line.explained.end(), true);
    if (found == line.explained.end()) continue;
    const auto d = static_cast<deed>(found - line.explained.begin());
    defects.push_back(defect_at("wrong operator", simt::locate(pc),
                                fmt::format("stores {} the values it loaded; a {} is asked for",
                                            to_string(copies ? deed::copy : d), asked_for(op))));
  }
  keep_one_a_line(defects);
  return defects;
}

std::vector<try_defect> wrong_identities(const stored_lines& lines, reduction op, scalar type,
                                         number expected) {
  const std::string right =
      fmt::format("the identity of a {} is {}", asked_for(op), to_text(type, identity(op, type)));
  const bool selects = op == reduction::maximum || op == reduction::minimum;
  std::vector<try_defect> defects;
  for (const auto& [pc, line] : lines) {
    const auto changes = [&](const std::optional<number>& value) {
      return value && fold(op, type, expected, *value) != expected;
    };
    if (changes(line.from_nothing)) {
      defects.push_back(defect_at("wrong identity", simt::locate(pc),
                                  fmt::format("stores {} for a lane without an element; {}",
                                              to_text(type, *line.from_nothing), right)));
    } else if (selects && changes(line.foreign)) {
      defects.push_back(defect_at("wrong identity", simt::locate(pc),
                                  fmt::format("stores {}, which is no element it loaded; {}",
                                              to_text(type, *line.foreign), right)));
    }
  }
  keep_one_a_line(defects);
  return defects;
}

}  // namespace onefold::ladder::learner
