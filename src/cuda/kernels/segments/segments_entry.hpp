// SPDX-License-Identifier: Apache-2.0
// Which file has the kernels of a type and accumulator: null where there are none.
#pragma once

#include "cuda/kernels/segments/segments.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda {

using segments_launcher = int (*)(const segments_launch& launch, void* workspace, void* stream);

segments_launcher segment_totals(dtype input);
segments_launcher segment_norms(accumulator kind, dtype input);  ///< magnitudes, squares
segments_launcher segment_integer_totals(dtype input);
segments_launcher segment_selections(op op, dtype input);  ///< extrema, count, bits

}  // namespace onefold::cuda
