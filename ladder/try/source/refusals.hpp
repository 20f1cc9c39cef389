// SPDX-License-Identifier: Apache-2.0
#pragma once
// What try does not run: textures, inline PTX, other libraries, and words that CUDA has taken away.

#include "ladder/try/source/kernels_in.hpp"

namespace onefold::ladder::learner {

/// The first of them, as "line: sentence"; empty: none.
/// `file` and `text` are for the line; the other kernels of the file do not count.
std::string unsupported(const std::string& file, std::string_view text,
                        const std::vector<token>& tokens, const std::vector<kernel_source>& kernels,
                        const kernel_source& kernel);

/// Whether the file has a barrier of the grid.
bool waits_for_grid(const std::vector<token>& tokens);

}  // namespace onefold::ladder::learner
