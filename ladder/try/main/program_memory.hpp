// SPDX-License-Identifier: Apache-2.0
#pragma once
// The device memory of a running program: its allocations, and when its host may touch them.
//
// While the host runs, the pages of device memory cannot be read or written, so that a host that
// follows a device pointer faults there, as it does with a GPU. Managed and pinned memory is open
// to it, but for what a launch or a copy has used and the host has not waited for.

#include "ladder/try/main/runtime_calls.hpp"
#include "simt/arena.hpp"
#include "simt/symbols.hpp"

#include <vector>

namespace onefold::ladder::learner {

struct allocation {
  std::size_t offset;  ///< in the arena
  std::size_t bytes;
  memory_kind kind;
  std::string name;
  simt::location place;
  simt::location freed{};  ///< where, once it has been freed
  bool live = true;
  // By the device, since the host last waited.
  bool being_read = false, being_written = false;

  std::size_t end() const { return offset + bytes; }
  bool host_may_use() const { return live && kind != memory_kind::device; }
};

class program_memory {
 public:
  explicit program_memory(simt::arena& arena) : arena_(arena) {}

  /// Null: there is no room.
  void* allocate(std::size_t bytes, memory_kind kind, std::string name, simt::location place);
  void release(allocation& allocation, simt::location place);

  bool holds(const void* at) const { return offset_of(at) < simt::arena::capacity_bytes; }
  std::size_t offset_of(const void* at) const { return arena_.offset_of(at); }
  /// Freed or not, the latest that the address is in; else the nearest before it; or null.
  allocation* find(const void* at);
  std::vector<allocation>& all() { return allocations_; }

  /// How many of the bytes nothing has written.
  std::size_t unwritten(const void* at, std::size_t bytes) const;
  void mark_written(const void* at, std::size_t bytes) const;
  /// After a copy within the arena: what was unwritten still is.
  void copy_written(const void* to, const void* from, std::size_t bytes) const;

  /// For the device and for copies.
  void open() const;
  /// For the host.
  void close() const;

  /// The device uses what is at an offset; only what the host may use, too, is noted.
  void note_use(std::size_t offset, bool writes);
  /// The host has waited for all that.
  void forget_uses();

  std::size_t live_bytes() const;

 private:
  void protect(const allocation& allocation, int protection) const;

  simt::arena& arena_;
  std::vector<allocation> allocations_;
  std::size_t last_used_ = 0;
};

}  // namespace onefold::ladder::learner
