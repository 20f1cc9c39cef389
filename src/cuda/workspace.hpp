// SPDX-License-Identifier: Apache-2.0
// The device memory of launches that nobody waits for.
//
// A workspace begins with `cleared_bytes` that are zero before and after every launch; what lies
// behind them is scratch. So any launches may share one that follow each other on the device, and
// none needs a memset.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/device_block.hpp"
#include "onefold/device_memory.hpp"
#include "onefold/executor.hpp"

namespace onefold::cuda {

/// What the kernels of whole arrays need at most: 2048 partials of six words, and a ticket.
inline constexpr std::size_t cleared_bytes = std::size_t(100) << 10;

/// A workspace for launches on one stream: the caller's, of the caller's resource, or one of the
/// engine's own, which are kept from call to call. Members fail: throw onefold::error.
class workspace_lease {
 public:
  /// bytes: of cleared memory and scratch together. Nothing is waited for; where the engine's own
  /// was used on another stream, this one waits for that on the device.
  /// Precondition: `device` is the calling thread's. Fails: usage (a caller's that is too small or
  /// not aligned), out_of_memory.
  workspace_lease(const executor::cuda& on, const device_buffer& given, int device,
                  std::size_t bytes);
  workspace_lease(const workspace_lease&) = delete;
  workspace_lease& operator=(const workspace_lease&) = delete;
  /// Without pass_on: waits for the stream, and keeps nothing that a launch may have left dirty.
  ~workspace_lease();

  void* cleared() const noexcept { return memory_; }
  /// Null where no bytes were asked for.
  std::byte* scratch() const noexcept {
    return memory_ == nullptr ? nullptr : static_cast<std::byte*>(memory_) + cleared_bytes;
  }

  /// All launches are in the stream: others may have the workspace behind them.
  void pass_on();

 private:
  enum class owner : unsigned char { nobody, caller, engine };

  void lease_own(int device, std::size_t bytes);
  void borrow(const memory_source& from, std::size_t bytes);
  void release() noexcept;

  owner whose_ = owner::nobody;
  cudaStream_t stream_;
  device_block lent_;  // the resource's
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int device_ = 0;
  cudaEvent_t passed_ = nullptr;  // of the engine's own
};

}  // namespace onefold::cuda
