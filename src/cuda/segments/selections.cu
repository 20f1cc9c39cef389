// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of segments, of elements of every type.

#include "cuda/segments/entry.hpp"
#include "cuda/segments/launch.cuh"
#include "cuda/segments/selections.cuh"

namespace onefold::cuda {

segments_launcher segment_selections(family of, dtype input) {
  if (of == family::tally) return launch_fold<segment_tally>;
  if (of == family::bits) return launch_fold<segment_bits>;
  return is_floating(input) ? launch_fold<segment_extrema<true>>
                            : launch_fold<segment_extrema<false>>;
}

}  // namespace onefold::cuda
