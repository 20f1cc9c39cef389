// SPDX-License-Identifier: Apache-2.0
#include "quick_kernels.hpp"

#include <algorithm>

#include "cuda/kernels/whole/quick.cuh"
#include "cuda/kernels/whole/quick_doubles.cuh"

namespace onefold::cuda::test {
namespace {

struct far_distances : anchored_proof {
  static constexpr bool bounds_distances = false;
};
struct large_terms : anchored_proof {
  static constexpr bool bounds_terms = false;
};
struct no_errors : anchored_proof {
  static constexpr bool bounds_errors = false;
};

void (*kernel_of(dtype input, anchored_mutant mutant))(quick_arguments) {
  if (input != dtype::f64) return quick_whole;
  switch (mutant) {
  case anchored_mutant::far_distances:
    return quick_doubles<far_distances>;
  case anchored_mutant::large_terms:
    return quick_doubles<large_terms>;
  case anchored_mutant::no_errors:
    return quick_doubles<no_errors>;
  default:
    return quick_doubles<anchored_proof>;
  }
}

}  // namespace

std::size_t quick_workspace() {
  return std::max(quick_workspace_bytes, quick_doubles_bytes);
}

void launch_quick(simt::executor& gpu, const simt::launch_config& config,
                  const quick_arguments& arguments, anchored_mutant mutant) {
  const auto run = kernel_of(arguments.input, mutant);
  simt::launch(gpu, config, [=] { run(arguments); });
}

}  // namespace onefold::cuda::test
