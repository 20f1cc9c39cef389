// SPDX-License-Identifier: Apache-2.0
#pragma once
// What each parameter of a kernel is for: a first launch shows which pointers it reads and writes,
// and names decide among those that it treats alike.

#include "ladder/try/launch/entry.hpp"

#include <string>
#include <vector>

namespace onefold::ladder::learner {

enum class role : unsigned char {
  input,    ///< the elements, or one of two arrays of them
  output,   ///< the answer, or one partial answer a block
  scratch,  ///< any other pointer: room for n elements, or for counters
  length,   ///< an integer: the number of elements
  flag,     ///< a bool: false
};

/// "in", "out", "scratch", "n", "flag": the words of --args.
const char* to_string(role r);

/// What a launch does with what a pointer points to.
struct pointer_use {
  bool reads = false;
  std::size_t elements_written = 0;
};

/// Fails: std::invalid_argument naming the parameter that try has no argument for, and the remedy.
void check_parameters(const entry& kernel, const std::vector<std::string>& names,
                      const std::vector<std::string>& declared);

/// The parameters' roles: one input, or two. `asked` is --args, "in,out,n", or empty. Then `uses`,
/// one for each parameter, says what is read only and what is written; where it is empty or says
/// nothing, constness and names do. `declared` is each parameter as written, for the messages.
/// Fails: std::invalid_argument naming the parameter that cannot be served, and the remedy.
std::vector<role> roles_of(const entry& kernel, const std::vector<std::string>& names,
                           const std::vector<std::string>& declared, const std::string& asked,
                           const std::vector<pointer_use>& uses = {});

/// The parameters with that role.
std::vector<std::size_t> indices_of(const std::vector<role>& roles, role wanted);
/// The first of them, or the number of parameters.
std::size_t index_of(const std::vector<role>& roles, role wanted);

}  // namespace onefold::ladder::learner
