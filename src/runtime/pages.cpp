// SPDX-License-Identifier: Apache-2.0
// Allocation by mmap for large blocks, by the heap for small ones.
#include "runtime/pages.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace onefold {
namespace {

// Below this size a system call costs more than it saves.
constexpr std::size_t small_bytes = std::size_t(64) * 1024;

}  // namespace

void* take_pages(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes < small_bytes) {
    memory = std::calloc(bytes, 1);
  } else {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) memory = nullptr;
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void return_pages(void* memory, std::size_t bytes) noexcept {
  if (bytes < small_bytes)
    std::free(memory);
  else
    munmap(memory, bytes);
}

}  // namespace onefold
