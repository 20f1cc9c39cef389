// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"

namespace onefold::ladder {

std::vector<rung> reduce_rungs() {
  return {
      modulo_rung(),
      strided_rung(),
      sequential_rung(),
      first_add_rung(),
  };
}

}  // namespace onefold::ladder
