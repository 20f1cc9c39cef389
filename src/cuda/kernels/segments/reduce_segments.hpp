// SPDX-License-Identifier: Apache-2.0
// Segments with offsets, on a device.
#pragma once

#include <cstdint>
#include <span>

#include "cuda/plan/request.hpp"
#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"

namespace onefold::cuda {

/// Reduces segments and rounds their answers on the device: contiguous elements in device memory,
/// contiguous answers there. Offsets are in host or device memory. Fails: unsupported (a request
/// without kernels, host memory), mismatch (offsets; data of another device), overflow,
/// empty, not_a_number, out_of_memory, device_error, cancelled.
status reduce_segments(const executor::cuda& on, const request& request,
                       std::span<const std::int64_t> offsets, const output_view& to);

}  // namespace onefold::cuda
