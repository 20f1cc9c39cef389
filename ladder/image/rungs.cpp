// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/rungs.hpp"

namespace onefold::ladder {

std::vector<rung> image_rungs() {
  return {
      transpose_naive_rung(),  transpose_tile_rung(), transpose_padded_rung(),
      transpose_packed_rung(), columns_rung(),        rows_atomic_rung(),
      rows_block_rung(),
  };
}

}  // namespace onefold::ladder
