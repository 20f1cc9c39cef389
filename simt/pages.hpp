// SPDX-License-Identifier: Apache-2.0
#pragma once
// Zeroed memory that costs nothing until it is touched: the device arena and its shadows.

#include <cstddef>
#include <cstdint>

namespace onefold::simt {

class pages {
 public:
  pages() = default;
  /// Fails: std::bad_alloc when the address space cannot be reserved.
  explicit pages(std::size_t size_bytes);
  pages(pages&& other) noexcept;
  pages& operator=(pages&& other) noexcept;
  ~pages();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A shadow: one T for each unit of something else, zero until written.
template <class T>
class shadow {
 public:
  shadow() = default;
  explicit shadow(std::size_t count) : memory_(count * sizeof(T)) {}
  T& operator[](std::size_t at) const { return reinterpret_cast<T*>(memory_.data())[at]; }
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }

 private:
  pages memory_;
};

}  // namespace onefold::simt
