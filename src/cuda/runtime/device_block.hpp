// SPDX-License-Identifier: Apache-2.0
// A block of device memory that frees itself, from a caller's resource or from cudaMalloc.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "onefold/device_memory.hpp"

namespace onefold::cuda {

/// The least alignment of device memory: that of cudaMalloc.
inline constexpr std::size_t device_alignment = 256;

/// Where memory is allocated, and the stream that uses it.
struct memory_source {
  device_resource* resource = nullptr;  ///< null: cudaMalloc
  cudaStream_t stream = nullptr;
};

class device_block {
 public:
  device_block() = default;
  /// `what` names the purpose in error messages: "device memory for a window"; `instead` names the
  /// alternative to a larger resource. Precondition: bytes > 0. Fails: throws onefold::error
  /// (out_of_memory; usage: memory of a resource that is not aligned).
  device_block(const memory_source& from, std::size_t bytes, const char* purpose,
               const char* instead = "leave executor::cuda::memory null");
  device_block(device_block&& other) noexcept { swap(other); }
  device_block& operator=(device_block&& other) noexcept;
  /// Memory of a resource is freed in stream order; otherwise waits for the stream.
  ~device_block();

  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void swap(device_block& other) noexcept;

  memory_source from_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace onefold::cuda
