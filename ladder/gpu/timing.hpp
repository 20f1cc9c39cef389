// SPDX-License-Identifier: Apache-2.0
#pragma once
// Device time of a piece of stream work.
//
// The work is captured into a CUDA graph several times over and the graph replayed, so that a
// kernel of a few microseconds is not measured by how fast the host launches it. One batch is one
// replay between two events; its time over the calls in it is one sample.

#include "ladder/gpu/gpu.hpp"

#include <cuda_runtime_api.h>

#include <functional>

namespace onefold::ladder {

/// Fails: std::runtime_error as the CUDA call that failed.
gpu_times time_on_stream(cudaStream_t stream, const std::function<void()>& work);

}  // namespace onefold::ladder
