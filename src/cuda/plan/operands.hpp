// SPDX-License-Identifier: Apache-2.0
// The views of a request in device memory: in place, or copies of the bytes that they span.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/plan/request.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/device_block.hpp"

namespace onefold::cuda {

/// The device that runs a request, and the memory of its views.
struct where {
  int device;
  memory kind;
};

/// Checks that all views are in one kind of memory, which the executor's device can read. Fails:
/// throws onefold::error (mismatch, unsupported).
where place_of(const executor::cuda& on, const request& request);

/// Whether the elements of a plan with one axis are contiguous and aligned to their size.
bool are_dense_elements(const request& request);

/// Pointers to the first elements in device memory.
class device_operands {
 public:
  /// Enqueues the copies on the stream of the memory source, where the views are in host memory.
  /// Precondition: the plan has elements; the device is current. Fails: throws onefold::error.
  device_operands(const request& request, memory kind, const memory_source& from);
  device_operands(const device_operands&) = delete;
  device_operands& operator=(const device_operands&) = delete;
  /// Waits for the stream where there are copies.
  ~device_operands();

  const std::byte *x = nullptr, *y = nullptr, *mask = nullptr;

 private:
  void copy_from_host(const request& request, const memory_source& from);

  cudaStream_t stream_;
  device_block copies_;
};

}  // namespace onefold::cuda
