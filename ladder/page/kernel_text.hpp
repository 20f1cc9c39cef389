// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernel files themselves, compiled in: a page shows code without a source tree at hand.

#include <string_view>

namespace onefold::ladder {

/// The text of "ladder/reduce/modulo.cuh"; empty for a file that is no kernel's.
std::string_view kernel_text(std::string_view file);

}  // namespace onefold::ladder
