// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/shape.hpp"

#include <cmath>

namespace onefold::ladder {

image_shape shape_of(const trial_options& options) {
  image_shape shape{options.width, options.height};
  if (shape.width == 0) {
    // Exact: n is far below 2^52.
    const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(options.n)));
    shape.width = static_cast<unsigned>(shape.height == 0 ? side : options.n / shape.height);
  }
  if (shape.height == 0 && shape.width != 0) {
    shape.height = static_cast<unsigned>(options.n / shape.width);
  }
  return shape;
}

}  // namespace onefold::ladder
