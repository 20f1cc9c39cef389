// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of segments under the executor.

#include "cuda/segments/cut.cuh"
#include "simt/launch.hpp"
#include "state/family.hpp"

namespace onefold::test {

/// marks: an undecided answer is all ones and not summed again. nearest: brackets whose ends are
/// rounded to nearest.
enum class segments_variant { plain, marks, nearest };

struct segments_kernel {
  void (*run)(simt::executor&, simt::launch_config, const cuda::segment_arguments&);
  int sum_words;
};

segments_kernel segment_float_kernel(onefold::family of, dtype input,
                                     segments_variant variant = segments_variant::plain);
segments_kernel segment_integer_kernel(dtype input);
segments_kernel segment_selection_kernel(op what, dtype input);

}  // namespace onefold::test
