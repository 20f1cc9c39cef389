// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/image.hpp"

namespace onefold::ladder {

std::vector<rung> published_image_rungs() {
  return {
      published_rows_512_rung(),
      published_rows_atomic_rung(),
  };
}

}  // namespace onefold::ladder
