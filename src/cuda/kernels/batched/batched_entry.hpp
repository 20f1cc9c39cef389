// SPDX-License-Identifier: Apache-2.0
// The launchers of batched sums, one function for each .cu file: the launcher for elements of a
// type, or null where the file has no kernel for it.
#pragma once

#include "cuda/kernels/batched/batched.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda {

/// Arguments as of launch_batched.
using batched_launcher = int (*)(const batched_request& request, const batched_block& block,
                                 void* workspace, void* cleared, void* stream);

batched_launcher batched_totals(dtype input);
batched_launcher batched_magnitudes(dtype input);
batched_launcher batched_squares(dtype input);
batched_launcher batched_integer_totals(dtype input);

}  // namespace onefold::cuda
