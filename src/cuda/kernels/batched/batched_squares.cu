// SPDX-License-Identifier: Apache-2.0
// Sums of squares of rows and columns of floating elements.

#include "cuda/kernels/batched/batched_entry.hpp"
#include "cuda/kernels/batched/batched_launch.cuh"

namespace onefold::cuda {

batched_launcher batched_squares(dtype input) {
  return launcher_of_floats<accumulator::squares>(input);
}

}  // namespace onefold::cuda
