// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a class is to write: the task file of `onefold-ladder mark`, in TOML.

#include <string>
#include <string_view>
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

/// One file's result, as a row of the table.
struct mark_row {
  std::string file;     ///< below the folder
  std::string key;      ///< of the file's text and the task's: a row with the same one still holds
  std::string verdict;  ///< that of try
  bool goal_met = false;       ///< only where the verdict is right
  std::vector<double> values;  ///< of the goals; none where nothing was counted
  std::string message;         ///< the first defect, or why there was no launch
  double seconds = 0;
};

/// Reads the verdict and the counters in what `try --json` printed.
void read_report(mark_row& row, const std::string& report, const mark_task& task);

std::string marks_csv(const std::vector<mark_row>& rows, const mark_task& task);
std::string marks_json(const std::vector<mark_row>& rows, const mark_task& task);
/// The rows of marks_json(); none where the text is no such thing.
std::vector<mark_row> marks_from(const std::string& json);

}  // namespace onefold::ladder
