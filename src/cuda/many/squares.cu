// SPDX-License-Identifier: Apache-2.0
// Sums of squares of rows and columns of floating elements.

#include "cuda/many/entry.hpp"
#include "cuda/many/launch.cuh"

namespace onefold::cuda {

many_launcher many_squares(dtype input) {
  return launcher_of_floats<accumulator::squares>(input);
}

}  // namespace onefold::cuda
