// SPDX-License-Identifier: Apache-2.0
// All answers of a plan, batch by batch through the strided kernels.
#pragma once

#include <functional>

#include "cuda/plan/operands.hpp"
#include "cuda/plan/states.hpp"

namespace onefold::cuda {

/// `take` gets the states of every answer once. Precondition: served, and the device is the
/// thread's. Fails: throws onefold::error (also cancelled, and what `take` fails with).
void run_batches(const executor::cuda& on, const request& request, const where& at,
                 const std::function<status(const answer_words&)>& take);

}  // namespace onefold::cuda
