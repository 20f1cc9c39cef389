// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/loop.hpp"

namespace onefold::ladder {

std::vector<rung> published_loop_rungs() {
  return {
      published_loop_x2_rung(),
  };
}

}  // namespace onefold::ladder
