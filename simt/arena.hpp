// SPDX-License-Identifier: Apache-2.0
#pragma once
// Device memory: one region, buffers at multiples of 256 bytes between red zones.
//
// The alignment is cudaMalloc's: from a 16-byte aligned vector a warp would touch 5 sectors where
// the device touches 4. Red zones and unwritten memory hold 0xFF bytes, which read as NaN or -1,
// so that a stray read is not only reported but also heard in the answer.

#include "simt/pages.hpp"

#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace onefold::simt {

struct buffer {
  std::string name;
  std::size_t offset = 0;
  std::size_t size_bytes = 0;
  bool freed = false;

  bool holds(std::size_t at, std::size_t bytes) const {
    return !freed && at >= offset && at + bytes <= offset + size_bytes;
  }
};

class arena {
 public:
  static constexpr std::size_t alignment_bytes = 256;
  static constexpr std::size_t red_zone_bytes = std::size_t{64} * 1024;
  static constexpr std::size_t capacity_bytes = std::size_t{1} << 30;

  arena();

  /// A buffer that holds nothing yet. Fails: std::length_error when the arena is full.
  template <class T>
  T* allocate(std::size_t count, std::string name) {
    return reinterpret_cast<T*>(place(count * sizeof(T), std::move(name)));
  }

  /// A buffer with the bytes of `values`.
  template <class T>
  T* copy(std::span<const T> values, std::string name) {
    T* at = allocate<T>(values.size(), std::move(name));
    if (!values.empty()) std::memcpy(at, values.data(), values.size_bytes());
    mark_written(offset_of(at), values.size_bytes());
    return at;
  }

  /// From now on the buffer at that offset holds nothing; its place is not used again.
  void release(std::size_t offset);

  std::uintptr_t base() const { return reinterpret_cast<std::uintptr_t>(memory_.data()); }
  std::size_t offset_of(const void* at) const {
    return reinterpret_cast<std::uintptr_t>(at) - base();
  }
  const std::vector<buffer>& buffers() const { return buffers_; }

  /// The buffer nearest to the offset: the one it lies in, or whose red zone it hit.
  const buffer* nearest(std::size_t offset) const;

  /// Which bytes hold a value: 1 or 0 for each byte of the arena.
  std::uint8_t* written() const { return written_.data(); }
  void mark_written(std::size_t offset, std::size_t bytes) {
    if (bytes != 0) std::memset(written() + offset, 1, bytes);
  }

 private:
  std::byte* place(std::size_t bytes, std::string name);

  pages memory_;
  shadow<std::uint8_t> written_;
  std::vector<buffer> buffers_;
  std::size_t next_ = red_zone_bytes;
};

}  // namespace onefold::simt
