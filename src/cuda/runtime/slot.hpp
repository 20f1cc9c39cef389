// SPDX-License-Identifier: Apache-2.0
// The resources of the launches over one piece of data: a stream, a workspace, memory for
// serialized states, and two buffers for host data. Slots are pooled, because allocating
// pinned memory is slow.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuda/runtime/device_block.hpp"

namespace onefold::cuda {

/// The size of a window of host data in one buffer, and the least size where memory is short: below
/// it, starting a copy costs more than the copy.
inline constexpr std::size_t window_bytes = std::size_t(8) << 20;
inline constexpr std::size_t least_window_bytes = std::size_t(256) << 10;

/// For one user at a time. Members fail: throw onefold::error.
class slot {
 public:
  /// Precondition: `device` is the calling thread's current device, here and below.
  explicit slot(int device);
  slot(const slot&) = delete;
  slot& operator=(const slot&) = delete;
  /// Waits for the stream.
  ~slot();

  int device() const noexcept { return device_; }
  cudaStream_t stream() const noexcept { return stream_; }

  /// Until the slot is given back, device memory comes from the caller's resource; without a
  /// resource it is the slot's own, and pooled.
  void borrow_from(const memory_source& lender) noexcept { lender_ = lender; }

  /// At least so many bytes of device memory, which are zero while no launch uses them.
  void* workspace(std::size_t bytes);

  /// At least so many bytes of uninitialised device memory. Precondition: no work uses the memory
  /// that the last call returned.
  std::byte* scratch(std::size_t bytes);

  /// Host memory that kernels write, large enough for the states of all accumulators together.
  const std::int64_t* words() const noexcept { return words_; }
  std::int64_t* device_words() const noexcept { return device_words_; }

  /// The same for the states of chunks, as many words as were reserved. Precondition of reserving
  /// more: no launch uses them.
  void reserve_chunk_words(std::int64_t count);
  const std::int64_t* chunk_words() const noexcept { return chunk_words_; }
  std::int64_t* device_chunk_words() const noexcept { return device_chunk_words_; }

  /// Two buffers of at least so many bytes each: one on the device, and a pinned one on the host
  /// where `staged`. Precondition: no work uses them.
  void reserve_window(std::size_t bytes, bool staged);
  std::byte* staging() const noexcept { return staging_; }
  std::byte* buffer() const noexcept { return blocks().buffer.data(); }

  /// Returns borrowed memory. Precondition: no work uses it except work on the lender's stream.
  void return_all() noexcept { lent_ = {}, lender_ = {}; }

 private:
  struct block_list {
    device_block workspace, scratch, buffer;
  };

  const block_list& blocks() const { return lender_.resource != nullptr ? lent_ : own_; }
  block_list& blocks() { return lender_.resource != nullptr ? lent_ : own_; }
  memory_source source() const {
    return lender_.resource != nullptr ? lender_ : memory_source{nullptr, stream_};
  }
  void release() noexcept;

  int device_;
  cudaStream_t stream_ = nullptr;
  memory_source lender_;
  block_list own_, lent_;
  std::int64_t *words_ = nullptr, *device_words_ = nullptr;
  std::int64_t *chunk_words_ = nullptr, *device_chunk_words_ = nullptr;
  std::int64_t chunk_words_count_ = 0;
  std::byte* staging_ = nullptr;
  std::size_t staging_bytes_ = 0;
};

/// A slot of a device from the pool. give_back() returns it to the pool; a slot that is not given
/// back, because something failed, is destroyed.
class borrowed_slot {
 public:
  /// Fails: throws onefold::error.
  explicit borrowed_slot(int device);
  borrowed_slot(const borrowed_slot&) = delete;
  borrowed_slot& operator=(const borrowed_slot&) = delete;
  ~borrowed_slot() = default;

  slot& operator*() const noexcept { return *mine_; }
  slot* operator->() const noexcept { return mine_.get(); }

  /// Returns the slot to the pool. Precondition: no work that uses the slot is in progress.
  void give_back();

 private:
  std::unique_ptr<slot> mine_;
};

/// Frees the pooled slots of a device that are not in use. Returns whether there were any.
/// Precondition: the device is the calling thread's current device.
bool drop_kept_slots(int device);

}  // namespace onefold::cuda
