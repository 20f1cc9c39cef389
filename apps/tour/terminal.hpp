// SPDX-License-Identifier: Apache-2.0
// The tour's headlines, numbers and commands.
#pragma once

#include <string>
#include <string_view>

namespace onefold::tour {

void print_act(std::string_view title);

/// The shortest decimal that reads back to the same number.
std::string shortest(double value);
std::string shortest(float value);
std::string hex(double value);

/// The output of a shell command, without its last newline. `ok` is false if it failed.
struct command_output {
  bool ok;
  std::string text;
};
command_output run(const std::string& command);

/// A path as one shell word.
std::string quoted(const std::string& path);

}  // namespace onefold::tour
