// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/dot.hpp"

#include "ladder/published/dot_block.cuh"

namespace onefold::ladder {

bool launched_as_printed(const evidence& e) {
  return e.current.options.block == published::dot_block;
}

bool with_whole_blocks(const evidence& e) {
  return e.current.options.n != 0 && e.current.options.n % e.current.options.block == 0;
}

std::vector<rung> published_dot_rungs() {
  return {
      published_dot_serial_rung(),   published_dot_unguarded_rung(), published_dot_kahan_rung(),
      published_dot_unrolled_rung(), published_dot_last_warp_rung(),
  };
}

}  // namespace onefold::ladder
