// SPDX-License-Identifier: Apache-2.0
// The kernels of any plan, compiled for the executor.
#pragma once

#include "cuda/nested/nested.hpp"
#include "simt/launch.hpp"

namespace onefold::cuda::test {

/// As launch_nested.
void launch_nested(simt::executor& gpu, const simt::launch_config& config, const nested_request& of,
                   std::int64_t* words);

}  // namespace onefold::cuda::test
