// SPDX-License-Identifier: Apache-2.0
#pragma once
// A page, or all of a report, for programs.

#include "ladder/page/page.hpp"

namespace onefold::ladder {

std::string page_json(const page& p);
std::string pages_json(const std::vector<page>& pages);

}  // namespace onefold::ladder
