// SPDX-License-Identifier: Apache-2.0
// The commands: each takes a request and returns its report. They throw failure.
#pragma once

#include <string>

#include "options.hpp"

namespace onefold::program {

/// The outcome of a command: the text of its report, the exit code, and whether the report has
/// anything that may replace an existing file (--out).
struct outcome {
  std::string text;
  int exit_code = 0;
  bool answered = true;
};

/// The operators' answers for every input. Data arrive in windows; an input is loaded as a whole
/// only for axes, for positions in column-major data and for dot.
outcome run_reduce(const request& request);

/// Every statistic of every input.
outcome run_stats(const request& request);

/// The sums that programs compute next to the exact one, for every array.
outcome run_audit(const request& request);

/// The answer of all elements of several states.
outcome run_merge(const request& request);

/// The plan of a reduction, without running it.
outcome run_plan(const request& request);

/// The facts of this build and this machine, and whether anything is wrong with them.
outcome run_doctor(const request& request);

/// A hash of the answers: equal on machines with equal answers.
outcome run_fingerprint(const request& request);

/// Replaces this process by the program of `ladder` or `tour`, which is in the same folder.
[[noreturn]] void run_sibling(const request& request);
/// Whether that program is there.
bool has_sibling(command command);
/// A file in the folder of this program.
std::string path_beside_this_program(const std::string& name);

}  // namespace onefold::program
