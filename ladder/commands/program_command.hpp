// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder try FILE --main`: a learner's whole program under the executor.

#include "ladder/commands/command_line.hpp"
#include "ladder/try/main/program_report.hpp"

namespace CLI {
class App;
}

namespace onefold::ladder {

struct program_request {
  bool whole = false;                  ///< --main
  std::vector<std::string> arguments;  ///< of the program, behind --
};

/// Adds --main to the command `try`, after all its other options: those of a kernel exclude it.
void add_program_options(CLI::App& command, program_request& request);

/// Fails: std::invalid_argument where there are arguments and no --main.
void check_no_arguments(const program_request& request);

program_answer answer_program(const program_request& request, program_options options, bool json);

}  // namespace onefold::ladder
