// SPDX-License-Identifier: Apache-2.0
// The C++ library's operators and glibc's functions, replaced by ones that count.
#include "support/refused_memory.hpp"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
// What glibc calls malloc, calloc, realloc, memalign and free.
void* __libc_malloc(std::size_t);                 // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void*, std::size_t);         // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT(bugprone-reserved-identifier)
void __libc_free(void*);                          // NOLINT(bugprone-reserved-identifier)
}

namespace onefold::test {
namespace {

std::atomic<bool> active{false};
std::atomic<std::int64_t> requests{0};
std::int64_t refused_from = 0;
bool refuses_later = false;

// The code whose requests count: this program and the C++ library.
struct code_range {
  std::uintptr_t first, last;
};
code_range ranges[16];
int range_count = 0;

int note_ranges(dl_phdr_info* object, std::size_t, void*) {
  const bool program = *object->dlpi_name == '\0';  // the only one without a name
  if (!program && std::strstr(object->dlpi_name, "libstdc++") == nullptr) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0 || range_count == 16) continue;
    const std::uintptr_t first = object->dlpi_addr + part.p_vaddr;
    ranges[range_count++] = {first, first + part.p_memsz};
  }
  return 0;
}

bool counts(const void* caller) noexcept {
  if (!active.load(std::memory_order_relaxed)) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return std::any_of(ranges, ranges + range_count,
                     [&](const code_range& each) { return at >= each.first && at < each.last; });
}

// Precondition: the request counts.
bool is_refused() noexcept {
  const std::int64_t n = ++requests;
  return refuses_later ? n >= refused_from : n == refused_from;
}

// Where the allocations that count are, until they are given back.
constexpr int most_kept = 1 << 14;
void* kept[most_kept];
std::atomic<int> kept_count{0};
std::atomic_flag kept_lock = ATOMIC_FLAG_INIT;

void keep(void* memory) noexcept {
  while (kept_lock.test_and_set(std::memory_order_acquire)) continue;
  if (kept_count == most_kept) __builtin_trap();
  kept[kept_count] = memory;
  ++kept_count;
  kept_lock.clear(std::memory_order_release);
}

void give_back(const void* memory) noexcept {
  if (memory == nullptr || kept_count.load(std::memory_order_relaxed) == 0) return;
  while (kept_lock.test_and_set(std::memory_order_acquire)) continue;
  for (int i = kept_count - 1; i >= 0; --i)
    if (kept[i] == memory) {
      --kept_count;
      kept[i] = kept[kept_count];
      break;
    }
  kept_lock.clear(std::memory_order_release);
}

// Gives what `take` gives to those who do not count, and to the others until they are refused.
template <class Take>
void* taken(const void* caller, const Take& take) noexcept {
  if (!counts(caller)) return take();
  if (is_refused()) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const memory = take();
  if (memory != nullptr) keep(memory);
  return memory;
}

void* object(const void* caller, std::size_t bytes, std::size_t alignment) noexcept {
  return taken(caller, [&] {
    return alignment > alignof(std::max_align_t) ? __libc_memalign(alignment, bytes)
                                                 : __libc_malloc(bytes);
  });
}

void* object_or_throw(const void* caller, std::size_t bytes, std::size_t alignment) {
  if (void* const memory = object(caller, bytes, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

refused_memory::refused_memory(std::int64_t nth, bool and_later) noexcept {
  if (range_count == 0) dl_iterate_phdr(note_ranges, nullptr);
  refused_from = nth, refuses_later = and_later;
  requests = 0;
  active = true;
}

refused_memory::~refused_memory() {
  active = false;
}

bool refused_memory::happened() const noexcept {
  return requests >= refused_from;
}

std::int64_t kept_allocations() noexcept {
  return kept_count;
}

}  // namespace onefold::test

using namespace onefold::test;

#define ONEFOLD_CALLER __builtin_return_address(0)

void* operator new(std::size_t bytes) {
  return object_or_throw(ONEFOLD_CALLER, bytes, 0);
}
void* operator new[](std::size_t bytes) {
  return object_or_throw(ONEFOLD_CALLER, bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return object_or_throw(ONEFOLD_CALLER, bytes, std::size_t(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return object_or_throw(ONEFOLD_CALLER, bytes, std::size_t(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return object(ONEFOLD_CALLER, bytes, 0);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return object(ONEFOLD_CALLER, bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return object(ONEFOLD_CALLER, bytes, std::size_t(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return object(ONEFOLD_CALLER, bytes, std::size_t(alignment));
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}

extern "C" {

void* malloc(std::size_t bytes) noexcept {
  return taken(ONEFOLD_CALLER, [&] { return __libc_malloc(bytes); });
}
void* calloc(std::size_t n, std::size_t bytes) noexcept {
  return taken(ONEFOLD_CALLER, [&] { return __libc_calloc(n, bytes); });
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return taken(ONEFOLD_CALLER, [&] { return __libc_memalign(alignment, bytes); });
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  void* const found = taken(ONEFOLD_CALLER, [&] { return __libc_memalign(alignment, bytes); });
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}
void* realloc(void* memory, std::size_t bytes) noexcept {
  if (!counts(ONEFOLD_CALLER)) {
    give_back(memory);
    return __libc_realloc(memory, bytes);
  }
  if (is_refused()) return nullptr;
  give_back(memory);
  void* const moved = __libc_realloc(memory, bytes);
  if (moved != nullptr) keep(moved);
  return moved;
}
void free(void* memory) noexcept {
  give_back(memory);
  __libc_free(memory);
}

void* mmap(void* at, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  const auto map = [&] {
    const long found = syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
    return found == -1 ? nullptr : reinterpret_cast<void*>(found);
  };
  void* const memory = taken(ONEFOLD_CALLER, map);
  return memory == nullptr ? MAP_FAILED : memory;
}
int munmap(void* memory, std::size_t bytes) noexcept {
  give_back(memory);
  return int(syscall(SYS_munmap, memory, bytes));
}

}  // extern "C"
