// SPDX-License-Identifier: Apache-2.0
// Converts CUDA return codes to statuses.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "onefold/status.hpp"

namespace onefold::cuda {

/// The status of a call that failed; `what` names the call.
status status_of(cudaError_t code, const std::string& call);

/// Fails: throws onefold::error with status_of. Clears the error, so that the next call does not
/// report it.
void check(cudaError_t code, const char* call);

/// The same of what an entry point of kernels returned.
inline void check_launch(int code) {
  check(cudaError_t(code), "launching a kernel");
}

}  // namespace onefold::cuda
