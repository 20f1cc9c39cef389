// SPDX-License-Identifier: Apache-2.0
// Device memory for asynchronous launches.
//
// A workspace starts with `cleared_bytes` that are zero before and after every launch; the rest is
// scratch memory. So launches that follow each other on the device can share it, and no launch
// needs a memset.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/runtime/device_block.hpp"
#include "onefold/device_memory.hpp"
#include "onefold/executor.hpp"

namespace onefold::cuda {

/// The most that the kernels of whole arrays need: 2048 partial results of six words, and a ticket.
inline constexpr std::size_t cleared_bytes = std::size_t(100) << 10;

/// A workspace for launches on one stream: the caller's, a node of the graph that captures the
/// stream, memory of the caller's resource, or one of the engine's own, which are pooled. Members
/// fail: throw onefold::error.
class workspace_lease {
 public:
  /// bytes: cleared memory and scratch memory together. The host does not wait; where the engine's
  /// own workspace was used on another stream, this stream waits for that one on the device.
  /// Precondition: `device` is the calling thread's current device. Fails: usage (a caller's
  /// workspace that is too small or not aligned), out_of_memory.
  workspace_lease(const executor::cuda& on, const device_buffer& given, int device,
                  std::size_t bytes);
  workspace_lease(const workspace_lease&) = delete;
  workspace_lease& operator=(const workspace_lease&) = delete;
  /// Without pass_on: waits for the stream, and frees a workspace that a launch may have left
  /// dirty.
  ~workspace_lease();

  void* cleared() const noexcept { return memory_; }
  /// Null where no bytes were requested.
  std::byte* scratch() const noexcept {
    return memory_ == nullptr ? nullptr : static_cast<std::byte*>(memory_) + cleared_bytes;
  }

  /// Call after all launches are enqueued: later launches may then use the workspace.
  void pass_on();

 private:
  enum class owner : unsigned char { nobody, caller, engine, graph };

  void lease_own(int device, std::size_t bytes);
  void borrow(const memory_source& from, std::size_t bytes);
  void capture(std::size_t bytes);
  void release() noexcept;

  owner whose_ = owner::nobody;
  cudaStream_t stream_;
  device_block lent_;  // the resource's
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int device_ = 0;
  cudaEvent_t passed_ = nullptr;  // of the engine's own workspace
};

}  // namespace onefold::cuda
