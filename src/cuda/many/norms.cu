// SPDX-License-Identifier: Apache-2.0
// Sums of magnitudes and squares of rows and columns of floating elements.

#include "cuda/many/entry.hpp"
#include "cuda/many/launch.cuh"

namespace onefold::cuda {
namespace {

template <family Family>
many_launcher norms_of_type(dtype input) {
  switch (input) {
  case dtype::f16:
    return launch_terms<many_terms<Family, f16>>;
  case dtype::bf16:
    return launch_terms<many_terms<Family, bf16>>;
  case dtype::f32:
    return launch_terms<many_terms<Family, float>>;
  case dtype::f64:
    return launch_terms<many_terms<Family, double>>;
  default:
    return nullptr;
  }
}

}  // namespace

many_launcher many_norms(family of, dtype input) {
  return of == family::magnitudes ? norms_of_type<family::magnitudes>(input)
                                  : norms_of_type<family::squares>(input);
}

}  // namespace onefold::cuda
