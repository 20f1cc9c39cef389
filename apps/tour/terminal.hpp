// SPDX-License-Identifier: Apache-2.0
// Headlines, numbers and commands as the tour prints them.
#pragma once

#include <string>
#include <string_view>

namespace onefold::tour {

void print_act(std::string_view title);

/// The shortest decimal that reads back as the same number.
std::string shortest(double value);
std::string shortest(float value);
std::string hex(double value);

/// What a shell command prints, without its last newline. `ok` is false where it failed.
struct command_output {
  bool ok;
  std::string text;
};
command_output run(const std::string& command);

/// A path as one shell word.
std::string quoted(const std::string& path);

}  // namespace onefold::tour
