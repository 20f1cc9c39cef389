// SPDX-License-Identifier: Apache-2.0
#pragma once
// The structs of a learner's file that a kernel's parameters lead to, and their fields. The text
// gives the names; what the fields are is the compiler's word (device/entry_of.hpp).

#include "ladder/try/source/kernels_in.hpp"

namespace onefold::ladder::learner {

struct struct_field {
  std::string name;
  std::size_t begin = 0;  ///< its name's offset in the text
};

struct struct_source {
  std::string name;  ///< "a::shape"
  std::vector<struct_field> fields;
  std::string template_head;       ///< "class T, int N", or empty
  std::string template_arguments;  ///< "<T, N>", or empty
};

/// The structs of the file that the kernel uses, in its parameters, in its body or as fields of
/// such, also by an alias or a template argument. `asked` is --kernel.
std::vector<struct_source> structs_of(const std::vector<token>& tokens, const kernel_source& kernel,
                                      const std::string& instance = "");

}  // namespace onefold::ladder::learner
