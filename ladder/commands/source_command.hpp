// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder source RUNG`: a rung's kernel as one file.

#include "ladder/commands/command_line.hpp"

#include <string>

namespace CLI {
class App;
}

namespace onefold::ladder {

/// Adds the command; what is parsed goes to `rung`, which must outlive the parsing.
CLI::App* add_source_command(CLI::App& app, std::string& rung);

/// Fails: std::invalid_argument for a name that no rung has and for a rung that cannot stand alone.
program_answer answer_source(const std::string& rung);

}  // namespace onefold::ladder
