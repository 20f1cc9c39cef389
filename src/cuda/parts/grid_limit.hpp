// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace onefold::cuda {

/// Blocks of a grid whose words are added up (grid.cuh), at most: 12 bits of a word count them, and
/// 52 are left for its sum.
inline constexpr unsigned most_grid_blocks = 4095;

}  // namespace onefold::cuda
