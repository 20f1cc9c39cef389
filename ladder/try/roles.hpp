// SPDX-License-Identifier: Apache-2.0
#pragma once
// What each parameter of a kernel is for: its type says half of it, its name the rest.

#include "ladder/try/entry.hpp"

#include <string>
#include <vector>

namespace onefold::ladder::learner {

enum class role : unsigned char {
  input,    ///< the elements
  output,   ///< the answer, or one partial answer a block
  scratch,  ///< any other pointer: room for n elements, or for counters
  length,   ///< an integer: the number of elements
  flag,     ///< a bool: false
};

/// "in", "out", "scratch", "n", "flag": the words of --args.
const char* to_string(role r);

/// The parameters' roles. `asked` is --args, "in,out,n", or empty to go by constness and names;
/// `declared` is each parameter as written, for the messages.
/// Fails: std::invalid_argument naming the parameter that cannot be served, and the remedy.
std::vector<role> roles_of(const entry& kernel, const std::vector<std::string>& names,
                           const std::vector<std::string>& declared, const std::string& asked);

/// The parameter with that role.
std::size_t index_of(const std::vector<role>& roles, role wanted);

}  // namespace onefold::ladder::learner
