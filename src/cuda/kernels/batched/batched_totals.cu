// SPDX-License-Identifier: Apache-2.0
// Sums and means of rows and columns of floating elements.

#include "cuda/kernels/batched/batched_entry.hpp"
#include "cuda/kernels/batched/batched_launch.cuh"

namespace onefold::cuda {

batched_launcher batched_totals(dtype input) {
  return launcher_of_floats<accumulator::total>(input);
}

}  // namespace onefold::cuda
