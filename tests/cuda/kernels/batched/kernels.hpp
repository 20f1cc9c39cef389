// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of rows and columns under the executor.

#include "cuda/kernels/batched/columns/batched_columns.cuh"
#include "cuda/kernels/batched/rows/batched_rows.cuh"
#include "simt/launch.hpp"

namespace onefold::test {

/// marks: an ambiguous answer is all ones and not summed again. nearest: intervals whose ends are
/// rounded to nearest.
enum class batched_variant { plain, marks, nearest };

/// Blocks of a launch are as large as the arguments ask for.
struct batched_kernels {
  void (*rows)(simt::executor&, simt::launch_config, const cuda::rows_arguments&);
  void (*columns)(simt::executor&, simt::launch_config, const cuda::columns_arguments&);
  void (*parts)(simt::executor&, simt::launch_config, const cuda::batched_arguments&,
                const cuda::ambiguous_list&);
  void (*fallback)(simt::executor&, simt::launch_config, const cuda::batched_arguments&,
                   const cuda::column_places&, const cuda::ambiguous_list&);
  int sum_words;
};

batched_kernels batched_float_kernels(onefold::accumulator kind, dtype input,
                                      batched_variant variant = batched_variant::plain);
batched_kernels batched_integer_kernels(dtype input);

}  // namespace onefold::test
