// SPDX-License-Identifier: Apache-2.0
// A piece of device memory: a caller's resource's, or cudaMalloc's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "onefold/device_memory.hpp"

namespace onefold::cuda {

/// Where every piece of device memory begins, at the least: as cudaMalloc's.
inline constexpr std::size_t device_alignment = 256;

/// Where memory comes from, and the stream that uses it.
struct memory_source {
  device_resource* resource = nullptr;  ///< null: cudaMalloc
  cudaStream_t stream = nullptr;
};

class device_block {
 public:
  device_block() = default;
  /// `what` it is for, in an error: "device memory for a window"; and what there is to do instead
  /// of giving the resource more. Precondition: bytes > 0. Fails: throws onefold::error
  /// (out_of_memory; usage: memory of a resource that is not aligned).
  device_block(const memory_source& from, std::size_t bytes, const char* what,
               const char* instead = "leave executor::cuda::memory null");
  device_block(device_block&& other) noexcept { swap(other); }
  device_block& operator=(device_block&& other) noexcept;
  /// A resource gets it back in the order of the stream; otherwise waits for the stream.
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
