// SPDX-License-Identifier: Apache-2.0
#pragma once
// A page for the terminal: the same characters for every compiler and on every machine.

#include "ladder/page/page.hpp"

namespace onefold::ladder {

std::string page_text(const page& p);

}  // namespace onefold::ladder
