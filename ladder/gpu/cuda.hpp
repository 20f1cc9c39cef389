// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA's return codes as exceptions.

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace onefold::ladder {

/// Fails: std::runtime_error that names the call and CUDA's reason. Clears the sticky error, so
/// that the next call is not blamed for this one.
inline void check_cuda(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}

}  // namespace onefold::ladder

#define ONEFOLD_CUDA_TRY(call) ::onefold::ladder::check_cuda((call), #call)
