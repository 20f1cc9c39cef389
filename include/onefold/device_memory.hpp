// SPDX-License-Identifier: Apache-2.0
// Device memory of the caller for the CUDA engine: buffers and an allocator interface.
#pragma once

#include <cstddef>

namespace onefold {

/// A piece of a device's memory.
struct device_buffer {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// The allocator of the CUDA engine's device memory, if executor::cuda::memory points to one. It
/// serves everything that a call needs: workspaces, windows of host data and copies of views. The
/// call gives all of it back before it returns. Pinned host memory is always the engine's own. The
/// engine calls it on the thread of the request, with the request's device current.
class device_resource {
 public:
  virtual ~device_resource() = default;

  /// Memory for work that is enqueued on `stream` from now on, aligned to 256 bytes. The stream (a
  /// cudaStream_t) is the executor's, or for windows of host data one of the engine's.
  /// Fails: null. Windows then shrink; any other request fails with out_of_memory.
  virtual void* allocate(std::size_t bytes, void* stream) noexcept = 0;

  /// Takes memory back. Work already enqueued on `stream` may still use it.
  virtual void deallocate(void* memory, std::size_t bytes, void* stream) noexcept = 0;

 protected:
  device_resource() = default;
  device_resource(const device_resource&) = default;
  device_resource& operator=(const device_resource&) = default;
};

}  // namespace onefold
