// SPDX-License-Identifier: Apache-2.0
// The commands: each takes a request and returns the report that it makes. They throw failure.
#pragma once

#include <string>

#include "options.hpp"

namespace onefold::program {

/// What a command leaves: the text of its report, and the exit code.
struct outcome {
  std::string text;
  int exit_code = 0;
};

/// The sum of every input. Data arrive in windows; nothing larger is ever held.
outcome run_sum(const request& asked);

/// What would be done, without doing it.
outcome run_plan(const request& asked);

/// What this build and this machine are, and whether anything is wrong with them.
outcome run_doctor(const request& asked);

/// One number that is the same on every machine whose answers are the same.
outcome run_fingerprint(const request& asked);

/// Starts the program of `ladder` or `tour`, which lies beside this one, in the place of this one.
[[noreturn]] void run_sibling(const request& asked);

}  // namespace onefold::program
