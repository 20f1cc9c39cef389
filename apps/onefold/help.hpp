// SPDX-License-Identifier: Apache-2.0
// The texts of `onefold help`.
#pragma once

#include <string>
#include <string_view>

#include "options.hpp"

namespace onefold::program {

/// The first page: examples, commands, inputs, exit codes.
std::string general_help();
/// The purpose of a command, with examples; the options follow it. `ops`: for command::reduce.
std::string examples_of(command command, const op_list& ops);
/// The same of `ladder` or `tour`.
std::string_view sibling_help(command command) noexcept;

}  // namespace onefold::program
