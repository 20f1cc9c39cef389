// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a try of a whole program found out, as data: the text and the JSON are made from it.

#include "ladder/try/report/report.hpp"

namespace onefold::ladder {

/// One run of the program, from its main to its end.
struct program_run {
  simt::schedule order = simt::schedule::forward;
  std::optional<int> exit_code;  ///< none: it crashed, or did not end
  std::string output;            ///< what it printed, on both streams
};

/// The launches of one line that look alike, in the first run.
struct program_launch {
  unsigned line = 0;
  std::string launch;  ///< "sum_blocks<<<64, 256, 1024>>>"
  unsigned times = 0;
  simt::counts counts;  ///< of all of them together
};

struct program_report {
  try_state state = try_state::refused;
  std::string message;  ///< of a refusal or of the compiler
  std::string file;
  std::vector<std::string> arguments;
  std::vector<program_run> runs;    ///< one for each schedule, as far as they came
  std::vector<try_defect> defects;  ///< each place once; `where`: not in the first run
  std::vector<program_launch> launches;
  bool measures_time = false;  ///< the program asked for the time between events
  std::string error;           ///< of a call that the program did not look at, in the first run
  double seconds = 0;

  /// "clean", or everything that is wrong, worst first; of a program that did not run, why.
  std::string verdict() const;
  /// 0: it returned 0 under every schedule, and nothing was found; 1 not; 2 refused.
  int exit_code() const;
};

struct program_options {
  std::string file{};
  std::vector<std::string> arguments{};
  std::string schedule = "all";
  std::optional<double> limit_s{};  ///< for each run; by default usual_run_limit_s
};

/// Seconds; the executor takes about one for a reduction of a million elements.
inline constexpr double usual_run_limit_s = 60;

/// Compiles the file, and runs its main under the executor in every schedule.
/// Never fails for what a learner can do: that is in the report.
/// Fails: std::runtime_error for what the machine lacks (no compiler, no room), with the remedy.
program_report try_program(const program_options& options);

/// Complete; made for people: first what the program printed, as it printed it.
std::string text_of(const program_report& report);
/// Complete and stable; only what is under "run", and times in the output, differ from run to run.
std::string json_of(const program_report& report);

}  // namespace onefold::ladder
