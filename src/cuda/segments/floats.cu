// SPDX-License-Identifier: Apache-2.0
// Sums and means of segments of floating elements, and sums of magnitudes and squares.

#include "cuda/segments/entry.hpp"
#include "cuda/segments/launch.cuh"

namespace onefold::cuda {
namespace {

template <family Family>
segments_launcher sums_of_type(dtype input) {
  switch (input) {
  case dtype::f16:
    return launch_fold<segment_sums<many_terms<Family, f16>>>;
  case dtype::bf16:
    return launch_fold<segment_sums<many_terms<Family, bf16>>>;
  case dtype::f32:
    return launch_fold<segment_sums<many_terms<Family, float>>>;
  case dtype::f64:
    return launch_fold<segment_sums<many_terms<Family, double>>>;
  default:
    return nullptr;
  }
}

}  // namespace

segments_launcher segment_totals(dtype input) {
  return sums_of_type<family::total>(input);
}

segments_launcher segment_norms(family of, dtype input) {
  return of == family::magnitudes ? sums_of_type<family::magnitudes>(input)
                                  : sums_of_type<family::squares>(input);
}

}  // namespace onefold::cuda
