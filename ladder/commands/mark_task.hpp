// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a class is to write: the task file of `onefold-ladder mark`, in TOML; and what becomes of a
// report of `try` under it.

#include "ladder/json/simt.hpp"

#include <string>
#include <vector>

namespace onefold::ladder {

/// A bound on a counter of the launch that `try` counts.
struct mark_goal {
  std::string counter;  ///< "shared wavefronts", "global load sectors", "barriers", ...
  std::string per;      ///< "launch", "block" or "element"
  double at_most = 0;
};

struct mark_task {
  std::vector<std::string> words;  ///< of `onefold-ladder try`, before the file
  std::vector<mark_goal> goals;
};

/// Fails: std::invalid_argument naming the file, the line and the key, and what to write.
mark_task read_mark_task(const std::string& file);

/// The verdict, the goals and the first defect of what `try --json` printed. "goal_met" is true
/// only where the verdict is right, in launches that were verified, too.
/// Fails: json::exception for what is no report.
json mark_of(const std::string& report, const mark_task& task);

/// What strangers wrote, on one line of a terminal.
std::string printable(std::string text);

/// A row for each mark, with its "file" and "seconds".
std::string marks_csv(const json& marks, const mark_task& task);

}  // namespace onefold::ladder
