// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of chunks under the executor.

#include "onefold/dtype.hpp"
#include "simt/launch.hpp"
#include "state/accumulator.hpp"

namespace onefold::test {

struct ordered_kernel {
  /// The kernel chooses the threads of a block.
  void (*launch)(simt::executor&, simt::launch_config, const void* x, std::int64_t n,
                 std::int64_t* parts) = nullptr;
  int words = 0;
};

/// Without a launch where there is no kernel.
ordered_kernel ordered_kernel_of(onefold::accumulator kind, dtype input);

}  // namespace onefold::test
