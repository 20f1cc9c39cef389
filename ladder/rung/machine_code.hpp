// SPDX-License-Identifier: Apache-2.0
#pragma once
// What nvcc made of the kernels, line by line: machine_code.json, compiled in, which
// tools/ladder_machine_code writes. Nothing here needs nvcc.

#include "ladder/rung/trial.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace onefold::ladder {

/// The text of machine_code.json.
extern const std::string_view machine_code_json;

/// A line of a kernel's source, as it was when the machine code was made.
struct machine_line {
  std::string file;
  unsigned line;
  std::string code;       ///< without the blanks around it
  unsigned instructions;  ///< made of it: in the kernel's text, not executed
};

/// Instructions of a line that explain a count.
struct machine_excerpt {
  std::string file;
  unsigned line;
  std::string code;
  std::string explains;
  std::vector<std::string> instructions;
  unsigned left_out;  ///< more of the same
};

struct machine_kernel {
  std::string rung;
  element type;
  unsigned instructions;
  std::vector<machine_line> lines;
  std::vector<machine_excerpt> excerpts;
};

/// "nvcc 13.0.88, sm_90".
std::string machine_code_source();

/// In the order of the file: of a rung its usual type first.
const std::vector<machine_kernel>& machine_kernels();

/// Null: the file has no such kernel.
const machine_kernel* machine_code_of(std::string_view rung, element type);

/// The number that the line of that code has in `text` today, the one nearest to `line`; 0 where no
/// line has this code any more.
unsigned line_today(std::string_view text, unsigned line, std::string_view code);

}  // namespace onefold::ladder
