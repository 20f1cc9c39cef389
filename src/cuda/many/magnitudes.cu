// SPDX-License-Identifier: Apache-2.0
// Sums of magnitudes of rows and columns of floating elements.

#include "cuda/many/entry.hpp"
#include "cuda/many/launch.cuh"

namespace onefold::cuda {

many_launcher many_magnitudes(dtype input) {
  switch (input) {
  case dtype::f16:
    return launch_terms<many_terms<family::magnitudes, f16>>;
  case dtype::bf16:
    return launch_terms<many_terms<family::magnitudes, bf16>>;
  case dtype::f32:
    return launch_terms<many_terms<family::magnitudes, float>>;
  case dtype::f64:
    return launch_terms<many_terms<family::magnitudes, double>>;
  default:
    return nullptr;
  }
}

}  // namespace onefold::cuda
