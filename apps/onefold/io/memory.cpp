// SPDX-License-Identifier: Apache-2.0
// The memory limit of the machine or its container, and loading within it.
#include "io/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include "failure.hpp"
#include "io/element_windows.hpp"
#include "messages.hpp"

namespace onefold::program {
namespace {

std::uint64_t machine_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_bytes = ::sysconf(_SC_PAGE_SIZE);
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  if (pages > 0 && page_bytes > 0) bytes = std::uint64_t(pages) * std::uint64_t(page_bytes);
  // A container's own limit, or "max".
  std::uint64_t contained = 0;
  for (const char* const file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (std::ifstream(file) >> contained && contained > 0) bytes = std::min(bytes, contained);
  return bytes;
}

// Untouched memory: pages are allocated only when data arrive.
std::unique_ptr<std::byte[]> allocate(std::uint64_t bytes) {
  return std::unique_ptr<std::byte[]>(new std::byte[bytes]);
}

// A buffer that doubles, for a stream of unknown size.
class growing {
 public:
  growing(memory_budget& budget, const std::string& name, const char* why)
      : budget_(budget), name_(name), why_(why) {}

  void append(const array_view& window) {
    const auto& axis = window.axes()[0];
    const auto bytes = std::uint64_t(axis.extent * axis.stride_bytes);
    if (size_ + bytes > capacity_) grow(std::max(2 * capacity_, size_ + bytes));
    std::memcpy(data_.get() + size_, window.data(), bytes);
    size_ += bytes;
  }
  std::uint64_t size_bytes() const noexcept { return size_; }
  std::unique_ptr<std::byte[]> release() noexcept { return std::move(data_); }

 private:
  void grow(std::uint64_t capacity) {
    budget_.take(capacity - capacity_, name_, why_);
    auto larger = allocate(capacity);
    if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
    capacity_ = capacity;
  }

  memory_budget& budget_;
  const std::string& name_;
  const char* why_;
  std::unique_ptr<std::byte[]> data_;
  std::uint64_t size_ = 0, capacity_ = 0;
};

loaded load_stream(input& from, const request& request, memory_budget& budget, const char* why) {
  growing all(budget, from.name, why);
  loaded done;
  done.bytes =
      for_each_window(from, request, [&](const array_view& window) { all.append(window); });
  done.described = from.described;
  done.described.items = std::int64_t(all.size_bytes() / size_bytes(from.described.type));
  done.described.shape = {*done.described.items};
  done.data = all.release();
  return done;
}

}  // namespace

memory_budget::memory_budget(const request& request)
    : machine_bytes_(machine_bytes()),
      limit_bytes_(request.memory_limit_bytes.value_or(machine_bytes_)) {}

void memory_budget::take(std::uint64_t bytes, const std::string& name, const char* why) {
  taken_bytes_ = bytes > std::numeric_limits<std::uint64_t>::max() - taken_bytes_
                     ? std::numeric_limits<std::uint64_t>::max()
                     : taken_bytes_ + bytes;
  if (taken_bytes_ <= limit_bytes_) return;
  const messages::memory_need need{taken_bytes_, limit_bytes_, machine_bytes_};
  throw failure(messages::exceeds_memory(name, why, need), name);
}

loaded load_elements(input& from, const request& request, memory_budget& budget, const char* why) {
  const auto bytes = from.described.data_bytes();
  if (!bytes) return load_stream(from, request, budget, why);
  budget.take(*bytes, from.name, why);
  loaded done{allocate(*bytes), from.described};
  std::byte* next = done.data.get();
  done.bytes = for_each_window(from, request, [&](const array_view& window) {
    const auto& axis = window.axes()[0];
    const auto window_bytes = std::size_t(axis.extent * axis.stride_bytes);
    std::memcpy(next, window.data(), window_bytes);
    next += window_bytes;
  });
  return done;
}

}  // namespace onefold::program
