// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/main/program_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::uint8_t not_written = 0;

// A page that holds part of a buffer holds part of no other.
static_assert(simt::arena::red_zone_bytes >= 2 * page_bytes);

}  // namespace

void* program_memory::allocate(std::size_t bytes, memory_kind kind, std::string name,
                               simt::location place) {
  try {
    std::byte* const at = arena_.allocate<std::byte>(bytes, name);
    if (kind != memory_kind::device) {
      std::memset(at, 0, bytes);
      mark_written(at, bytes);
    }
    allocations_.push_back({arena_.offset_of(at), bytes, kind, std::move(name), std::move(place)});
    return at;
  } catch (const std::length_error&) {
    return nullptr;
  }
}

void program_memory::release(allocation& allocation, simt::location place) {
  allocation.live = false;
  allocation.freed = std::move(place);
  arena_.release(allocation.offset);
}

allocation* program_memory::find(const void* at) {
  const std::size_t offset = offset_of(at);
  allocation* nearest = nullptr;
  for (allocation& a : allocations_) {
    if (a.offset <= offset && (nearest == nullptr || a.offset >= nearest->offset)) nearest = &a;
  }
  return nearest;
}

std::size_t program_memory::unwritten(const void* at, std::size_t bytes) const {
  const std::uint8_t* const first = arena_.written() + offset_of(at);
  return static_cast<std::size_t>(std::count(first, first + bytes, not_written));
}

void program_memory::mark_written(const void* at, std::size_t bytes) const {
  arena_.mark_written(offset_of(at), bytes);
}

void program_memory::copy_written(const void* to, const void* from, std::size_t bytes) const {
  std::memmove(arena_.written() + offset_of(to), arena_.written() + offset_of(from), bytes);
}

void program_memory::open() const {
  mprotect(reinterpret_cast<void*>(arena_.base()), simt::arena::capacity_bytes,
           PROT_READ | PROT_WRITE);
}

void program_memory::close() const {
  mprotect(reinterpret_cast<void*>(arena_.base()), simt::arena::capacity_bytes, PROT_NONE);
  for (const allocation& a : allocations_) {
    if (!a.host_may_use() || a.being_written) continue;
    protect(a, a.being_read ? PROT_READ : PROT_READ | PROT_WRITE);
  }
}

void program_memory::note_use(std::size_t offset, bool writes) {
  const auto holds = [this, offset](std::size_t i) {
    return i < allocations_.size() && offset - allocations_[i].offset < allocations_[i].bytes;
  };
  if (!holds(last_used_)) {
    for (last_used_ = 0; last_used_ < allocations_.size() && !holds(last_used_);) ++last_used_;
  }
  if (!holds(last_used_) || !allocations_[last_used_].host_may_use()) return;
  (writes ? allocations_[last_used_].being_written : allocations_[last_used_].being_read) = true;
}

void program_memory::forget_uses() {
  for (allocation& a : allocations_) a.being_read = a.being_written = false;
}

void program_memory::protect(const allocation& allocation, int protection) const {
  const std::size_t first = allocation.offset / page_bytes * page_bytes;
  const std::size_t last = (allocation.end() + page_bytes - 1) / page_bytes * page_bytes;
  mprotect(reinterpret_cast<void*>(arena_.base() + first), last - first, protection);
}

std::size_t program_memory::live_bytes() const {
  return std::accumulate(
      allocations_.begin(), allocations_.end(), std::size_t{0},
      [](std::size_t sum, const allocation& a) { return sum + (a.live ? a.bytes : 0); });
}

}  // namespace onefold::ladder::learner
