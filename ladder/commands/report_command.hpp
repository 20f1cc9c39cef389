// SPDX-License-Identifier: Apache-2.0
#pragma once
// `onefold-ladder report`: the course, in one file or as a folder of pages.

#include "ladder/commands/command_line.hpp"
#include "ladder/commands/selection.hpp"

namespace onefold::ladder {

struct report_request {
  std::string file;  ///< empty: onefold-ladder.html, or .json; another name than *.html: a folder
  bool json = false;
};

/// Makes the pages and writes them; the answer says where they are.
/// Fails: std::invalid_argument when nothing can be written there, before any rung is run;
/// std::runtime_error when the disk fails afterwards.
program_answer answer_report(const report_request& request, const selection& chosen);

}  // namespace onefold::ladder
