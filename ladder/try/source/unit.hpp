// SPDX-License-Identifier: Apache-2.0
#pragma once
// The translation unit that is compiled: the learner's text between what nvcc would have brought
// and the one object that the program looks for.

#include "ladder/try/source/structs_in.hpp"

#include <string>

namespace onefold::ladder::learner {

/// Lines keep their numbers under the name `file`; `instance` is the kernel's C++ name.
/// `structs` are those whose fields the program fills in.
std::string unit_text(const std::string& file, const std::string& text, const std::string& instance,
                      const std::vector<struct_source>& structs = {});

}  // namespace onefold::ladder::learner
