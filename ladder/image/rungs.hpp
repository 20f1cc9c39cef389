// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of this room.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

rung transpose_naive_rung();
rung transpose_tile_rung();
rung transpose_padded_rung();
rung transpose_packed_rung();
rung columns_rung();
rung rows_atomic_rung();
rung rows_block_rung();

}  // namespace onefold::ladder
