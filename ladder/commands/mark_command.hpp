// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder mark`: tries every file of a class on one task, each in a sandbox.

#include "ladder/commands/command_line.hpp"

#include <string>

namespace CLI {
class App;
}

namespace onefold::ladder {

struct mark_request {
  std::string folder, task, marks = "marks";
  unsigned jobs = 0;  ///< 0: one a processor
  bool trust = false;
};

/// Adds the command; what is parsed goes to `request`, which must outlive the parsing.
CLI::App* add_mark_command(CLI::App& app, mark_request& request);

/// Fails: std::invalid_argument for a task or a folder that cannot be read, and where there is no
/// sandbox and no --trust.
program_answer answer_mark(const mark_request& request);

}  // namespace onefold::ladder
