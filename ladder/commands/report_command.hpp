// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder report`: the pages of many rungs in one file.

#include "ladder/commands/command_line.hpp"
#include "ladder/commands/selection.hpp"

namespace onefold::ladder {

struct report_request {
  std::string file;  ///< empty: onefold-ladder.html, or .json
  bool json = false;
};

/// Makes the pages and writes the file; the answer says where it is.
/// Fails: std::invalid_argument when the file cannot be written, before any rung is run;
/// std::runtime_error when the disk fails afterwards.
program_answer answer_report(const report_request& asked, const selection& chosen);

}  // namespace onefold::ladder
