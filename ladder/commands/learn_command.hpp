// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder learn`: the course, one exercise after another.

#include "ladder/commands/command_line.hpp"
#include "ladder/learn/learn.hpp"

namespace CLI {
class App;
}

namespace onefold::ladder {

/// Adds the command; what is parsed goes to `request`, which must outlive the parsing. `program` is
/// how the user calls this program: its screens name commands so.
CLI::App* add_learn_command(CLI::App& app, learn_request& request, const char* program);

/// Fails: as answer_learn.
program_answer answer_learn_command(const CLI::App& command, learn_request request);

}  // namespace onefold::ladder
