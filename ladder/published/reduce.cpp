// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"

namespace onefold::ladder {

std::vector<rung> published_reduce_rungs() {
  return {
      published_first_add_rung(),
  };
}

}  // namespace onefold::ladder
