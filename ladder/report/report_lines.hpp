// SPDX-License-Identifier: Apache-2.0
#pragma once
// The counters of a rung's page by line of its source, and what nvcc made of the lines, as HTML.

#include "ladder/page/page.hpp"

namespace onefold::ladder {

/// Instructions and working lanes, the counters of each line, the excerpts of machine code; empty
/// for a rung that the executor does not run. A line of the rung's own file links to the id
/// `ANCHOR-L31` of its listing.
std::string lines_section(const page& p);

}  // namespace onefold::ladder
