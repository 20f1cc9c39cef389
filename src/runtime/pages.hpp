// SPDX-License-Identifier: Apache-2.0
// Memory that goes back to the system when it is released, which a heap does not promise: what is
// asked for next then does not add to the peak. Small pieces come from the heap.
#pragma once

#include <cstddef>
#include <memory>

namespace onefold {

/// Asks for memory, all zeros. Fails: std::bad_alloc.
void* take_pages(std::size_t bytes);
void return_pages(void* memory, std::size_t bytes) noexcept;

struct page_deleter {
  std::size_t bytes = 0;
  void operator()(void* memory) const noexcept { return_pages(memory, bytes); }
};

/// An array whose elements are zero bytes. Precondition: T has no destructor to call.
template <class T>
using paged_array = std::unique_ptr<T[], page_deleter>;

template <class T>
paged_array<T> make_paged(std::size_t size) {
  const std::size_t bytes = size * sizeof(T);
  return paged_array<T>(static_cast<T*>(take_pages(bytes)), page_deleter{bytes});
}

}  // namespace onefold
