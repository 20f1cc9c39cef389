// SPDX-License-Identifier: Apache-2.0
// The commands: each takes a request and returns the report that it makes. They throw failure.
#pragma once

#include <string>

#include "options.hpp"

namespace onefold::program {

/// What a command leaves: the text of its report, the exit code, and whether there is anything in
/// it that a file of before (--out) may be replaced by.
struct outcome {
  std::string text;
  int exit_code = 0;
  bool answered = true;
};

/// The operators' answers of every input. Data arrive in windows; an input is held as a whole only
/// for axes, for positions in column-major data and for dot.
outcome run_reduce(const request& asked);

/// Every statistic of every input.
outcome run_stats(const request& asked);

/// What would be done, without doing it.
outcome run_plan(const request& asked);

/// What this build and this machine are, and whether anything is wrong with them.
outcome run_doctor(const request& asked);

/// One number that is the same on every machine whose answers are the same.
outcome run_fingerprint(const request& asked);

/// Starts the program of `ladder` or `tour`, which lies beside this one, in the place of this one.
[[noreturn]] void run_sibling(const request& asked);

}  // namespace onefold::program
