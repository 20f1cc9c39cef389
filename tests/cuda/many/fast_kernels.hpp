// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of fast sums of rows and columns, compiled for the executor.

#include "cuda/many/fast/columns.cuh"
#include "cuda/many/fast/parts.cuh"
#include "cuda/many/fast/rows.cuh"
#include "simt/launch.hpp"

namespace onefold::test {

using fast_rows_kernel = void (*)(simt::executor& device, simt::launch_config config,
                                  const cuda::fast_rows_arguments& a);

fast_rows_kernel fast_rows_kernel_of(dtype input);

using fast_columns_kernel = void (*)(simt::executor& device, simt::launch_config config,
                                     const cuda::fast_columns_arguments& a,
                                     onefold::accumulator what);

fast_columns_kernel fast_columns_kernel_of(dtype input);

using fast_parts_kernel = void (*)(simt::executor& device, simt::launch_config config,
                                   cuda::many_arguments of);

/// The trees of parts, whatever the block of `config`.
fast_parts_kernel fast_parts_kernel_of(dtype input);

}  // namespace onefold::test
