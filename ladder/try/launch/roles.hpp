// SPDX-License-Identifier: Apache-2.0
#pragma once
// What each parameter of a kernel is for: a first launch shows which pointers it reads and writes,
// and names decide among those that it treats alike.

#include "ladder/try/launch/entry.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace onefold::ladder::learner {

enum class role : unsigned char {
  input,      ///< the elements, or one of several arrays of them
  output,     ///< the answer, or one partial answer a block
  in_place,   ///< both: the answer replaces elements
  scratch,    ///< any other pointer: memory for n elements, or for counters
  length,     ///< an integer: the number of elements
  width,      ///< an integer: the elements of a row
  height,     ///< an integer: the rows
  depth,      ///< an integer: the layers of rows
  flag,       ///< a bool: false
  constant,   ///< a number: 1, or what --args says
  structure,  ///< a struct: each of its fields 0
};

/// "in", "out", "inout", ...: the words of --args.
const char* to_string(role r);

/// "init", "identity", "neutral", ...: a parameter that holds the value that changes nothing.
bool sounds_like_identity(const std::string& name);

/// What a launch does with what a pointer points to.
struct pointer_use {
  bool reads = false;
  std::size_t elements_written = 0;
  std::size_t last_written = 0;  ///< one more than the last one's index
  std::size_t elements_read_again = 0;
  std::size_t elements_read_first = 0;  ///< before they were written, and not by atomics
};

struct parameters {
  std::vector<role> roles;
  std::vector<double> values;  ///< of constants

  std::vector<std::size_t> all(role wanted) const;
  /// The first one, or the number of parameters.
  std::size_t first(role wanted) const;
  bool any(role wanted) const { return first(wanted) < roles.size(); }
  /// Inputs, and elements that the answer replaces.
  std::vector<std::size_t> inputs() const;
  /// The output, or the elements that the answer replaces.
  std::size_t output() const {
    return any(role::output) ? first(role::output) : first(role::in_place);
  }
};

/// A kernel's parameters with their names; a field of a struct is one, too: "shape.width".
struct signature {
  entry kernel;
  std::vector<std::string> names;     ///< "in"
  std::vector<std::string> declared;  ///< as written, for the messages: "const float* in"
};

/// Fails: std::invalid_argument naming the parameter that try has no argument for, and the remedy.
void check_parameters(const signature& kernel);

/// The roles of all that are no pointers; pointers are scratch. `asked` is --args, "in,out,n", or
/// empty.
/// Fails: std::invalid_argument naming the parameter that cannot be served, and the remedy.
parameters number_roles(const signature& kernel, const std::string& words);

/// Gives the pointers theirs. `uses`, one for each parameter, says what is only read and what is
/// written; where it is empty or says nothing, constness and names do. `elements`: of an input.
/// Fails: as number_roles().
void add_pointer_roles(parameters& found, const signature& kernel, const std::string& words,
                       const std::vector<pointer_use>& uses, std::size_t elements);

}  // namespace onefold::ladder::learner
