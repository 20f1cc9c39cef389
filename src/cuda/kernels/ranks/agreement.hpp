// SPDX-License-Identifier: Apache-2.0
// What ranks compare before they exchange elements, whose messages would wait for each other else.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/kernels/ranks/nccl.hpp"
#include "cuda/kernels/ranks/ranks.hpp"
#include "onefold/status.hpp"

namespace onefold::cuda {

/// So much device memory a rank does the comparison take.
inline constexpr std::size_t agreement_bytes = 512;

/// ok on all ranks, or the same error on all: the first rank's whose own is not ok, or what
/// differs. Waits for the stream. Fails also: throws onefold::error (device_error).
status agreed(const communicator& ranks, const status& own, const element_block& block,
              std::byte* memory, cudaStream_t stream);

}  // namespace onefold::cuda
