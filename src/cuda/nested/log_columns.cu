// SPDX-License-Identifier: Apache-2.0
// Sums of exponentials of columns.

#include "cuda/nested/ordered/log_columns.cuh"

namespace onefold::cuda {

int launch_log_columns_step(const log_columns& of, unsigned blocks, void* stream) {
  nested_log_columns<<<blocks, nested_threads, 0, static_cast<cudaStream_t>(stream)>>>(of);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
