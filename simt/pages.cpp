// SPDX-License-Identifier: Apache-2.0
#include "simt/pages.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace onefold::simt {

pages::pages(std::size_t size_bytes) : size_(size_bytes) {
  if (size_ == 0) return;
  void* low = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (low == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(low);
}

pages::pages(pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

pages& pages::operator=(pages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

pages::~pages() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace onefold::simt
