// SPDX-License-Identifier: Apache-2.0
// quick_full for the executor.
#pragma once

#include <cstddef>

#include "cuda/full/quick.hpp"
#include "simt/launch.hpp"

namespace onefold::cuda::test {

std::size_t quick_workspace();
void launch_quick(simt::executor& gpu, const simt::launch_config& config,
                  const quick_arguments& of);

}  // namespace onefold::cuda::test
