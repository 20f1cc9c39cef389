// SPDX-License-Identifier: Apache-2.0
// Sums of magnitudes of rows and columns of floating elements.

#include "cuda/many/entry.hpp"
#include "cuda/many/launch.cuh"

namespace onefold::cuda {

many_launcher many_magnitudes(dtype input) {
  return launcher_of_floats<accumulator::magnitudes>(input);
}

}  // namespace onefold::cuda
