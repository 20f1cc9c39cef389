// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/watch/equal_stores.hpp"

#include "simt/memory_map.hpp"
#include "simt/program_image.hpp"

#include <algorithm>
#include <iterator>

namespace onefold::ladder::learner {
namespace {

/// Where a static shared array lies: the window places them in the order of their symbols.
const void* static_address(std::size_t offset) {
  static const auto arrays = simt::tagged_objects("onefold_shared", simt::memory_map::row_bytes);
  std::size_t begin = simt::memory_map::dynamic_window_bytes;
  constexpr std::size_t row = simt::memory_map::row_bytes;
  for (const simt::memory_object& a : arrays) {
    if (offset - begin < a.size_bytes) {
      return reinterpret_cast<const void*>(a.address + (offset - begin));
    }
    begin += (a.size_bytes + row - 1) / row * row;
  }
  return nullptr;
}

}  // namespace

const void* address_of(const simt::memory_map& map, const simt::memory_access& access) {
  if (access.where == simt::space::global) return map.global_bytes(access.offset);
  if (access.offset >= simt::memory_map::dynamic_window_bytes) return static_address(access.offset);
  return static_cast<const std::byte*>(map.dynamic_shared()) + access.offset -
         simt::memory_map::red_zone_bytes;
}

void equal_stores::launch_begins(const simt::launch_view& launch) {
  sites_ = &launch.sites;
  map_ = &launch.map;
}

void equal_stores::access(const simt::memory_access& access) {
  settle();
  if (!access.writes || !access.inside || access.size_bytes > sizeof(std::uint64_t)) return;
  const void* const at = address_of(*map_, access);
  const std::uintptr_t pc = sites_->pc_of(access.site);
  if (access.atomic || at == nullptr) {
    unequal_.insert(pc);
  } else {
    pending_ = {{access.where, access.offset}, at, access.size_bytes, pc};
  }
}

void equal_stores::settle() {
  if (!pending_) return;
  store now{0, pending_->pc};
  std::memcpy(&now.value, pending_->at, pending_->bytes);
  all_.insert(now.pc);
  const auto [known, first] = last_.emplace(pending_->to, now);
  if (!first && known->second.value != now.value) {
    unequal_.insert(now.pc);
    unequal_.insert(known->second.pc);
  }
  known->second = now;
  pending_.reset();
}

void equal_stores::forget_shared() {
  std::erase_if(last_, [](const auto& s) { return s.first.first == simt::space::shared; });
}

void equal_stores::barrier(const simt::barrier_view&) {
  settle();
  forget_shared();
}

void equal_stores::block_begins(unsigned) {
  forget_shared();
}

std::set<std::uintptr_t> equal_stores::places() const {
  std::set<std::uintptr_t> equal;
  std::set_difference(all_.begin(), all_.end(), unequal_.begin(), unequal_.end(),
                      std::inserter(equal, equal.end()));
  return equal;
}

}  // namespace onefold::ladder::learner
