// SPDX-License-Identifier: Apache-2.0
// Entry point of the kernel that reduces the shares of all ranks, element by element.
#pragma once

#include <cstdint>

#include "onefold/dtype.hpp"

namespace onefold::cuda {

struct shares_request {
  dtype type = dtype::f32;   ///< a float
  bool mean = false;         ///< else the sum
  void* own = nullptr;       ///< x[items], this rank's; the answers replace it
  void* received = nullptr;  ///< [ranks][items]; row `rank` is scratch memory
  std::int64_t items = 0;
  int ranks = 1, rank = 0;
};

/// Enqueues a kernel that rounds the sum or mean over the ranks of each element once.
/// Returns a cudaError_t as int; 0 is success.
int launch_reduce_shares(const shares_request& request, void* stream);

}  // namespace onefold::cuda
