// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder climb`: from the atomic to the library's exact sum in one run on a GPU, or the
// run that was recorded last.

#include "ladder/commands/command_line.hpp"
#include "ladder/gpu/whole_climb.hpp"

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace onefold::ladder {

struct whole_climb_request {
  std::string json;      ///< FILE to write the shown run to; empty: none
  std::string recorded;  ///< FILE to show in place of a new run; empty: none
};

/// Adds the command; what is parsed goes to `request`, which must outlive the parsing.
CLI::App* add_climb_command(CLI::App& app, whole_climb_request& request);

/// Fails: std::invalid_argument for a file that cannot be read or is no run.
program_answer answer_climb(const whole_climb_request& request);

std::string to_json_text(const whole_climb& climb);
/// Fails: std::invalid_argument, which names `source`.
whole_climb whole_climb_of(std::string_view text, std::string_view source);
/// A line a step: bandwidth as a bar, the largest error, the page that explains it.
std::string to_text(const whole_climb& climb);

}  // namespace onefold::ladder
