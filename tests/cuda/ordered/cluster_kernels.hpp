// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels of chunks under the executor that work in clusters.

#include "onefold/dtype.hpp"
#include "simt/launch.hpp"

namespace onefold::test {

/// The kernel chooses the threads of a block, and the caller the blocks of a cluster. It has four
/// words a chunk.
using cluster_kernel = void (*)(simt::executor&, simt::launch_config, const void* x, std::int64_t n,
                                std::int64_t* parts);

/// Of f32 and f16.
cluster_kernel log_sum_in_clusters(dtype input);

}  // namespace onefold::test
