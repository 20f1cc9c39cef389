// SPDX-License-Identifier: Apache-2.0
// Sums of squares of rows and columns of floating elements.

#include "cuda/many/entry.hpp"
#include "cuda/many/launch.cuh"

namespace onefold::cuda {

many_launcher many_squares(dtype input) {
  switch (input) {
  case dtype::f16:
    return launch_terms<many_terms<family::squares, f16>>;
  case dtype::bf16:
    return launch_terms<many_terms<family::squares, bf16>>;
  case dtype::f32:
    return launch_terms<many_terms<family::squares, float>>;
  case dtype::f64:
    return launch_terms<many_terms<family::squares, double>>;
  default:
    return nullptr;
  }
}

}  // namespace onefold::cuda
