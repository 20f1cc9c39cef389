// SPDX-License-Identifier: Apache-2.0
// CUDA's return codes as statuses.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "onefold/status.hpp"

namespace onefold::cuda {

/// The status of a call that failed; `what` names the call.
status status_of(cudaError_t code, const std::string& what);

/// Fails: throws onefold::error with status_of. Clears the error, so that the next call is not
/// blamed for this one.
void check(cudaError_t code, const char* what);

}  // namespace onefold::cuda
