// SPDX-License-Identifier: Apache-2.0
#include "ladder/learn/check.hpp"

#include "ladder/learn/compare.hpp"

#include <fstream>

namespace onefold::ladder {

check_result check_exercise(const course& c, const lesson& l) {
  try_options options;
  options.file = c.file_of(l).lexically_normal().string();
  options.op = l.op;
  if (l.grid != 0) options.grid = l.grid;
  options.rung = l.rung;
  options.compare = [grid = l.grid](const std::string& rung, try_launch launch) {
    launch.grid = grid;
    return counts_of_rung(rung, launch);
  };
  check_result result;
  result.as_given = c.is_as_given(l);
  result.report = try_kernel(options);
  const auto& counts = result.report.counts;
  if (l.goal.met != nullptr) result.goal_met = counts && l.goal.met(*counts);
  return result;
}

unsigned marked_line(const course& c, const lesson& l) {
  std::ifstream file(c.file_of(l));
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    if (line.find("<- your line") != std::string::npos) return number;
  }
  return 0;
}

}  // namespace onefold::ladder
