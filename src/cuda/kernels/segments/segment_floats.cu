// SPDX-License-Identifier: Apache-2.0
// Sums and means of segments of floating elements, and sums of magnitudes and squares.

#include "cuda/kernels/segments/segments_entry.hpp"
#include "cuda/kernels/segments/segments_launch.cuh"

namespace onefold::cuda {
namespace {

template <accumulator Accumulator>
segments_launcher sums_of_type(dtype input) {
  return with_floating<segments_launcher>(input, []<class T>(detail::tag<T>) -> segments_launcher {
    return launch_fold<segment_sums<batched_terms<Accumulator, T>>>;
  });
}

}  // namespace

segments_launcher segment_totals(dtype input) {
  return sums_of_type<accumulator::total>(input);
}

segments_launcher segment_norms(accumulator kind, dtype input) {
  return kind == accumulator::magnitudes ? sums_of_type<accumulator::magnitudes>(input)
                                         : sums_of_type<accumulator::squares>(input);
}

}  // namespace onefold::cuda
