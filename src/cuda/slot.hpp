// SPDX-License-Identifier: Apache-2.0
// What the launches of one piece of data need: a stream, a workspace, a place for the words, and
// for data of the host a pair of buffers. Slots are kept from call to call, because pinned memory
// takes long to get.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuda/device_block.hpp"

namespace onefold::cuda {

/// Of the host's data, in one buffer; and the least where memory is short, below which copies cost
/// more to start than to do.
inline constexpr std::size_t window_bytes = std::size_t(8) << 20;
inline constexpr std::size_t least_window_bytes = std::size_t(256) << 10;

/// One user at a time. Members fail: throw onefold::error.
class slot {
 public:
  /// Precondition: `device` is the calling thread's, here and below.
  explicit slot(int device);
  slot(const slot&) = delete;
  slot& operator=(const slot&) = delete;
  /// Waits for the stream.
  ~slot();

  int device() const noexcept { return device_; }
  cudaStream_t stream() const noexcept { return stream_; }

  /// From here on until the slot is given back, device memory comes from a caller's resource;
  /// without one it is the slot's own, and kept.
  void borrow_from(const memory_source& lender) noexcept { lender_ = lender; }

  /// At least so many bytes of device memory, all zero while no launch uses them.
  void* workspace(std::size_t bytes);

  /// At least so many bytes of device memory that nobody clears. Precondition: no work uses what it
  /// gave before.
  std::byte* scratch(std::size_t bytes);

  /// Host memory that kernels write: room for every family's state at once.
  const std::int64_t* words() const noexcept { return words_; }
  std::int64_t* device_words() const noexcept { return device_words_; }

  /// The same for words of chunks, as many as were reserved. Precondition of more: no launch uses
  /// them.
  void reserve_chunk_words(std::int64_t count);
  const std::int64_t* chunk_words() const noexcept { return chunk_words_; }
  std::int64_t* device_chunk_words() const noexcept { return device_chunk_words_; }

  /// Two buffers of at least so many bytes each: the device's, and a pinned one of the host's where
  /// it is asked for. Precondition: no work uses them.
  void reserve_window(std::size_t bytes, bool staged);
  std::byte* staging() const noexcept { return staging_; }
  std::byte* buffer() const noexcept { return blocks().buffer.data(); }

  /// Gives back what was borrowed. Precondition: no work uses it but what the lender's stream
  /// holds.
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

/// A slot of a device, kept for others when it is given back; one that is not, because something
/// failed, is destroyed.
class borrowed_slot {
 public:
  /// Fails: throws onefold::error.
  explicit borrowed_slot(int device);
  borrowed_slot(const borrowed_slot&) = delete;
  borrowed_slot& operator=(const borrowed_slot&) = delete;
  ~borrowed_slot() = default;

  slot& operator*() const noexcept { return *mine_; }
  slot* operator->() const noexcept { return mine_.get(); }

  /// Precondition: nothing that uses the slot is under way. It is not used again.
  void give_back();

 private:
  std::unique_ptr<slot> mine_;
};

/// Frees what slots that nobody uses have kept of a device. Returns whether there were any.
/// Precondition: the device is the calling thread's.
bool drop_kept_slots(int device);

}  // namespace onefold::cuda
