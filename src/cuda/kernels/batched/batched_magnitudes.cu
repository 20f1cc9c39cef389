// SPDX-License-Identifier: Apache-2.0
// Sums of magnitudes of rows and columns of floating elements.

#include "cuda/kernels/batched/batched_entry.hpp"
#include "cuda/kernels/batched/batched_launch.cuh"

namespace onefold::cuda {

batched_launcher batched_magnitudes(dtype input) {
  return launcher_of_floats<accumulator::magnitudes>(input);
}

}  // namespace onefold::cuda
