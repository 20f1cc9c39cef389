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

/// Where the CUDA engine gets its device memory from, if executor::cuda::memory points to one. It
/// is called on the thread of the request, with the request's device current.
class device_resource {
 public:
  virtual ~device_resource() = default;

  /// Memory for what is enqueued on `stream` (a cudaStream_t) from now on, aligned to 256 bytes.
  /// Fails: null, which the request reports as out_of_memory.
  virtual void* allocate(std::size_t bytes, void* stream) noexcept = 0;

  /// Takes it back: work that `stream` holds now may still use it.
  virtual void deallocate(void* memory, std::size_t bytes, void* stream) noexcept = 0;

 protected:
  device_resource() = default;
  device_resource(const device_resource&) = default;
  device_resource& operator=(const device_resource&) = default;
};

}  // namespace onefold
