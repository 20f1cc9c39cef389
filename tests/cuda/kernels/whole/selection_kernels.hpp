// SPDX-License-Identifier: Apache-2.0
// The kernels of extrema, counts and bitwise folds, compiled for the executor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/dtype.hpp"
#include "simt/launch.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda::test {

struct selection_kernel {
  void (*launch)(simt::executor& gpu, const simt::launch_config& config, dtype input, const void* x,
                 std::int64_t n, void* workspace, std::int64_t* words,
                 const finish_list& list) = nullptr;
  std::size_t workspace_bytes = 0;
};

/// Without a launch where the family does not take the type.
selection_kernel selection_kernel_of(accumulator kind, dtype input);

}  // namespace onefold::cuda::test
