// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder try`: a learner's own kernel, beside a rung at the same launch.

#include "ladder/commands/command_line.hpp"
#include "ladder/commands/program_command.hpp"
#include "ladder/try/try.hpp"

namespace CLI {
class App;
}

namespace onefold::ladder {

struct try_request {
  try_options options;
  bool json = false;
  std::string picture;      ///< a file to write; empty: none
  program_request program;  ///< of --main
};

/// Adds the command; what is parsed goes to `asked`, which must outlive the parsing.
CLI::App* add_try_command(CLI::App& app, try_request& request);

/// Fails: std::invalid_argument when no rung has the name to compare with.
program_answer answer_try(const try_request& request);

}  // namespace onefold::ladder
