// SPDX-License-Identifier: Apache-2.0
#pragma once
// Turns a learner's file into a shared object, with the host's own C++ compiler.

#include "ladder/try/object/workshop.hpp"

#include <string>

namespace onefold::ladder::learner {

struct compiled {
  bool good = false;
  std::string message;  ///< the compiler's, with the learner's file name and lines
  bool interrupted = false;
  std::string object;  ///< path of the shared object
};

/// `unit` is the translation unit's text; its #line lines name the learner's file. `beside` is the
/// folder of that file, for its own #include "..." lines.
/// Fails: std::runtime_error when there is no compiler, with the remedy.
compiled compile(const workshop& place, const std::string& unit, const std::string& beside);

}  // namespace onefold::ladder::learner
