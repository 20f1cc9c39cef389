// SPDX-License-Identifier: Apache-2.0
// Device memory that callers give to the CUDA engine.
#pragma once

#include <cstddef>

namespace onefold {

/// A piece of a device's memory.
struct device_buffer {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// Where the CUDA engine gets its device memory from, if executor::cuda::memory points to one: all
/// that a call needs, workspaces, windows of host data and copies of views, which the call gives
/// back before it returns. Pinned memory of the host stays the engine's own. A resource is called
/// on the thread of the request, with the request's device current.
class device_resource {
 public:
  virtual ~device_resource() = default;

  /// Memory for what is enqueued on `stream` from now on, aligned to 256 bytes. The stream (a
  /// cudaStream_t) is the executor's, or for windows of host data one of the engine's.
  /// Fails: null. Windows then shrink; what fits no more is out_of_memory.
  virtual void* allocate(std::size_t bytes, void* stream) noexcept = 0;

  /// Takes it back: work that `stream` holds now may still use it.
  virtual void deallocate(void* memory, std::size_t bytes, void* stream) noexcept = 0;

 protected:
  device_resource() = default;
  device_resource(const device_resource&) = default;
  device_resource& operator=(const device_resource&) = default;
};

}  // namespace onefold
