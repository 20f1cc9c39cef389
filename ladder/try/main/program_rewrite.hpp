// SPDX-License-Identifier: Apache-2.0
#pragma once
// A whole program made C++ without moving a line: its launches, and a main that may end without a
// return. Macros that launch are rewritten, too.
//   kernel<<<grid, block>>>(in, out)  ->  prepared("kernel", kernel).shaped(grid, block)(in, out)

#include "ladder/try/source/tokens.hpp"

#include <map>

namespace onefold::ladder::learner {

/// Fails: std::invalid_argument, with the line, for a launch inside a kernel.
std::string program_rewritten(const std::string& text, const std::string& file);

bool defines_main(const std::vector<token>& tokens);

/// The variable that an allocation on a line sets, where the line has one: cudaMalloc(&d_in, ...).
std::map<unsigned, std::string> buffer_names(std::string_view text,
                                             const std::vector<token>& tokens);

/// What follows the program's text: the function that the loader looks for.
inline constexpr char program_symbol[] = "onefold_learner_program";
std::string program_unit(const std::string& file, const std::string& text);

}  // namespace onefold::ladder::learner
