// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of segments under the executor.

#include "cuda/kernels/segments/columns/column_folds.hpp"
#include "cuda/kernels/segments/cut.cuh"
#include "cuda/kernels/segments/rows/row_folds.hpp"
#include "simt/launch.hpp"
#include "state/accumulator.hpp"

namespace onefold::test {

/// marks: an ambiguous answer is all ones and not summed again. nearest: intervals whose ends are
/// rounded to nearest.
enum class segments_variant { plain, marks, nearest };

struct segments_kernel {
  void (*run)(simt::executor&, simt::launch_config, const cuda::segment_arguments&);
  int sum_words;
};

segments_kernel segment_float_kernel(onefold::accumulator kind, dtype input,
                                     segments_variant variant = segments_variant::plain);
segments_kernel segment_integer_kernel(dtype input);
segments_kernel fast_segment_kernel(dtype input);  ///< in blocks of one warp
segments_kernel segment_selection_kernel(op op, dtype input);

/// Both launches of the kernel of columns; partials: five words an answer and part.
void run_selected_columns(simt::executor& device, simt::launch_config config,
                          const cuda::segment_arguments& fold, const cuda::strided_request& nest,
                          const cuda::column_parts& lanes, std::int64_t* partials);

/// The kernel of rows by tiles.
void run_row_folds(simt::executor& device, simt::launch_config config,
                   const cuda::row_folds& folds);

}  // namespace onefold::test
