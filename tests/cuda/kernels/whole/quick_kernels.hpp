// SPDX-License-Identifier: Apache-2.0
// quick_whole and quick_doubles for the executor.
#pragma once

#include <cstddef>

#include "cuda/kernels/whole/quick.hpp"
#include "simt/launch.hpp"

namespace onefold::cuda::test {

/// What a mutant of the anchored sums of f64 does not ask for.
enum class anchored_mutant { none, far_distances, large_terms, no_errors };

std::size_t quick_workspace();
void launch_quick(simt::executor& gpu, const simt::launch_config& config,
                  const quick_arguments& arguments, anchored_mutant mutant = anchored_mutant::none);

}  // namespace onefold::cuda::test
