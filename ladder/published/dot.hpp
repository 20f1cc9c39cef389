// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of a dot twin.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

// Sizes at which their claims speak.
bool launched_as_printed(const evidence& e);  ///< with the block of dot_block.cuh
bool with_whole_blocks(const evidence& e);    ///< n is a multiple of the block, and not 0

rung published_dot_serial_rung();
rung published_dot_unguarded_rung();
rung published_dot_kahan_rung();
rung published_dot_unrolled_rung();
rung published_dot_last_warp_rung();

}  // namespace onefold::ladder
