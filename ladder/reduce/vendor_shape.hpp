// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a host has to know of reduce/vendor without CUB.

#include <cstddef>

namespace onefold::ladder {

/// CUB keeps a partial for each block: some 5,000 of them on 150 multiprocessors, 8 bytes each.
inline constexpr std::size_t vendor_workspace_bytes = std::size_t{1} << 20;

}  // namespace onefold::ladder
