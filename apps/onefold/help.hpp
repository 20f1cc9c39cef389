// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "options.hpp"

namespace onefold::program {

/// The first page: examples, commands, inputs, exit codes.
std::string_view general_help() noexcept;
/// What a command is for, with examples; the options follow it.
std::string_view examples_of(command what) noexcept;
std::string_view siblings_help() noexcept;

}  // namespace onefold::program
