// SPDX-License-Identifier: Apache-2.0
// Large allocations that return their pages to the system when they are freed, so that later
// allocations do not add to peak memory; a heap does not guarantee that. Small allocations come
// from the heap.
#pragma once

#include <cstddef>
#include <memory>

namespace onefold {

/// Allocates zeroed memory. Throws std::bad_alloc.
void* take_pages(std::size_t bytes);
void return_pages(void* memory, std::size_t bytes) noexcept;

struct page_deleter {
  std::size_t bytes = 0;
  void operator()(void* memory) const noexcept { return_pages(memory, bytes); }
};

/// An array of zeroed elements. Precondition: T is trivially destructible.
template <class T>
using paged_array = std::unique_ptr<T[], page_deleter>;

template <class T>
paged_array<T> make_paged(std::size_t size) {
  const std::size_t bytes = size * sizeof(T);
  return paged_array<T>(static_cast<T*>(take_pages(bytes)), page_deleter{bytes});
}

}  // namespace onefold
