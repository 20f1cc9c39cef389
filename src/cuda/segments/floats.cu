// SPDX-License-Identifier: Apache-2.0
// Sums and means of segments of floating elements, and sums of magnitudes and squares.

#include "cuda/segments/entry.hpp"
#include "cuda/segments/launch.cuh"

namespace onefold::cuda {
namespace {

template <accumulator Accumulator>
segments_launcher sums_of_type(dtype input) {
  switch (input) {
  case dtype::f16:
    return launch_fold<segment_sums<many_terms<Accumulator, f16>>>;
  case dtype::bf16:
    return launch_fold<segment_sums<many_terms<Accumulator, bf16>>>;
  case dtype::f32:
    return launch_fold<segment_sums<many_terms<Accumulator, float>>>;
  case dtype::f64:
    return launch_fold<segment_sums<many_terms<Accumulator, double>>>;
  default:
    return nullptr;
  }
}

}  // namespace

segments_launcher segment_totals(dtype input) {
  return sums_of_type<accumulator::total>(input);
}

segments_launcher segment_norms(accumulator of, dtype input) {
  return of == accumulator::magnitudes ? sums_of_type<accumulator::magnitudes>(input)
                                       : sums_of_type<accumulator::squares>(input);
}

}  // namespace onefold::cuda
