// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops whose variable takes known values: for (int s = blockDim.x / 2; s > 0; s >>= 1). A report
// then names the step at which an element is lost.

#include "ladder/try/source/tokens.hpp"

#include <optional>

namespace onefold::ladder::learner {

struct counted_loop {
  unsigned first_line = 0, last_line = 0;
  std::string variable;
  bool from_block = false;  ///< starts with blockDim.x by `start`, else with `start`
  unsigned start = 1;
  char operation = '*';  ///< of a step: * / + -
  unsigned operand = 2;
  unsigned barriers = 0;  ///< in its body

  bool holds(unsigned line) const { return first_line <= line && line <= last_line; }
  /// "s = 4"
  std::string step(unsigned iteration, unsigned block) const;
};

/// Those of the whole file, inner ones after outer ones.
std::vector<counted_loop> counted_loops_in(std::string_view text, const std::vector<token>& tokens);

}  // namespace onefold::ladder::learner
