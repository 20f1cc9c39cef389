// SPDX-License-Identifier: Apache-2.0
#pragma once
// The unified difference of two kernels' code.

#include <string>
#include <string_view>
#include <vector>

namespace onefold::ladder {

/// What of a kernel file is code: no comments, includes, namespaces, nor blank lines at the ends.
std::vector<std::string> code_lines(std::string_view file);

/// Hunks as `diff -U2` prints them, without the two lines that name files; empty when the code is
/// the same. A kernel's name is not a difference: every rung's is its own.
std::string unified_diff(std::string_view before, std::string_view after);

}  // namespace onefold::ladder
