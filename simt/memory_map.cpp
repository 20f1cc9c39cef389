// SPDX-License-Identifier: Apache-2.0
#include "simt/memory_map.hpp"

#include "simt/loaded_objects.hpp"
#include "simt/program_image.hpp"

#include <algorithm>
#include <stdexcept>

namespace onefold::simt {
namespace {

constexpr int poison = 0xFF;

// Farther from any static array, an address is not called an overrun of it.
constexpr std::size_t near_bytes = 4096;

std::string distance_to(const buffer& b, std::size_t offset, std::size_t bytes) {
  const std::string name = "'" + b.name + "' (" + std::to_string(b.size_bytes) + " bytes)";
  if (offset < b.offset) return std::to_string(b.offset - offset) + " bytes before " + name;
  const std::size_t end = b.offset + b.size_bytes;
  if (b.freed && offset < end) return "in " + name + ", which has been freed";
  if (offset >= end) return std::to_string(offset - end) + " bytes past the end of " + name;
  return std::to_string(offset + bytes - end) + " bytes over the end of " + name;
}

}  // namespace

memory_map::memory_map(arena& memory)
    : memory_(memory), window_(max_cluster_blocks * dynamic_window_bytes) {}

void memory_map::begin_launch(const launch_config& config, const kernel_call& call) {
  dynamic_.size_bytes = config.dynamic_shared_bytes;
  parameters_[0] = {reinterpret_cast<std::uintptr_t>(call.closure), call.size_bytes};
  last_buffer_ = 0;
  blocks_ = config.cluster;
  rank_ = 0;
  if (blocks_ > 1 && kept_.size() == 0) {
    kept_ = pages(max_cluster_blocks * (shared_window_bytes - dynamic_window_bytes));
  }
  if (const std::uint64_t now = refresh_loaded_segments(); objects_version_ != now) {
    objects_version_ = now;
    static_arrays_.clear();
    device_variables_.clear();
    static_arrays_known_ = false;
  }
}

void memory_map::begin_block() {
  for (unsigned r = 0; r < blocks_; ++r) {
    std::memset(dynamic_shared(r), poison, dynamic_.size_bytes);
  }
  for (const static_array& a : static_arrays_) {
    if (a.touched) poison_array(a);
  }
}

void memory_map::poison_array(const static_array& a) {
  std::memset(reinterpret_cast<void*>(a.address), poison, a.place.size_bytes);
  for (unsigned r = 0; blocks_ > 1 && r < blocks_; ++r) {
    std::memset(kept(a, r), poison, a.place.size_bytes);
  }
}

void memory_map::enter_block(unsigned rank) {
  if (rank == rank_) return;
  for (const static_array& a : static_arrays_) {
    if (!a.touched) continue;
    auto* const in_place = reinterpret_cast<std::byte*>(a.address);
    std::memcpy(kept(a, rank_), in_place, a.place.size_bytes);
    std::memcpy(in_place, kept(a, rank), a.place.size_bytes);
  }
  rank_ = rank;
}

address_info memory_map::find(std::uintptr_t address, std::size_t bytes) {
  if (const std::size_t at = address - memory_.base(); at < arena::capacity_bytes) {
    return {region::global, inside_global(at, bytes), at};
  }
  const auto window = reinterpret_cast<std::uintptr_t>(window_.data());
  if (const std::size_t at = address - window; at < blocks_ * dynamic_window_bytes) {
    if (blocks_ == 1) return {region::shared, dynamic_.holds(at, bytes), at};
    const std::size_t rank = at / dynamic_window_bytes, inside = at % dynamic_window_bytes;
    return {region::shared, dynamic_.holds(inside, bytes), rank * shared_window_bytes + inside};
  }
  if (is_parameter(address)) return {region::parameter, true, 0};
  if (!static_arrays_known_ && is_program_data(address)) {
    add_static_arrays();
    add_device_variables();
    add_constants();
    if (is_parameter(address)) return {region::parameter, true, 0};
  }
  const auto kept = reinterpret_cast<std::uintptr_t>(kept_.data());
  if (blocks_ > 1 && address - kept < kept_.size()) return find_kept(address, bytes);
  return find_static(address, bytes);
}

address_info memory_map::find_kept(std::uintptr_t address, std::size_t bytes) const {
  constexpr std::size_t each = shared_window_bytes - dynamic_window_bytes;
  const std::size_t at = address - reinterpret_cast<std::uintptr_t>(kept_.data());
  const std::size_t offset = dynamic_window_bytes + at % each;
  const bool inside =
      std::any_of(static_arrays_.begin(), static_arrays_.end(),
                  [=](const static_array& a) { return a.place.holds(offset, bytes); });
  return {region::shared, inside, at / each * shared_window_bytes + offset};
}

void* memory_map::at_rank(std::uintptr_t address, unsigned rank) {
  const address_info found = find(address, 1);
  if (found.where != region::shared || rank >= blocks_) return nullptr;
  return address_of_shared(rank * shared_window_bytes + found.offset % shared_window_bytes);
}

void* memory_map::address_of_shared(std::size_t offset) const {
  const unsigned rank = rank_of(offset);
  offset %= shared_window_bytes;
  if (offset < dynamic_window_bytes) return dynamic_shared(rank) + (offset - red_zone_bytes);
  if (rank != rank_) return kept_arrays(rank) + (offset - dynamic_window_bytes);
  for (const static_array& a : static_arrays_) {
    if (offset - a.place.offset < a.place.size_bytes) {
      return reinterpret_cast<std::byte*>(a.address) + (offset - a.place.offset);
    }
  }
  return nullptr;
}

bool memory_map::is_parameter(std::uintptr_t address) const {
  return std::any_of(parameters_.begin(), parameters_.end(),
                     [address](const extent& e) { return address - e.address < e.size_bytes; });
}

address_info memory_map::find_static(std::uintptr_t address, std::size_t bytes) {
  for (static_array& a : static_arrays_) {
    const std::size_t at = address - a.address;
    if (at >= a.place.size_bytes) continue;
    if (!a.touched) poison_array(a);
    a.touched = true;
    return {region::shared, at + bytes <= a.place.size_bytes,
            rank_ * shared_window_bytes + a.place.offset + at};
  }
  for (const device_variable& v : device_variables_) {
    const std::size_t at = address - v.address;
    if (at >= v.place.size_bytes) continue;
    return {region::global, at + bytes <= v.place.size_bytes, v.place.offset + at};
  }
  return {region::unknown, false, 0};
}

void memory_map::add_static_arrays() {
  static_arrays_known_ = true;
  std::size_t offset = dynamic_window_bytes;
  for (const memory_object& o : tagged_objects("onefold_shared", row_bytes)) {
    static_arrays_.push_back({o.address, {o.name, offset, o.size_bytes}});
    offset += (o.size_bytes + row_bytes - 1) / row_bytes * row_bytes;
  }
  if (offset > shared_window_bytes) {
    throw std::length_error("the program's static shared arrays exceed 16 MiB");
  }
}

void memory_map::add_device_variables() {
  for (const memory_object& o : tagged_objects(device_tag, arena::alignment_bytes)) {
    const auto* at = memory_.allocate<std::byte>(o.size_bytes, o.name);
    const std::size_t offset = memory_.offset_of(at);
    memory_.mark_written(offset, o.size_bytes);
    device_variables_.push_back({o.address, {o.name, offset, o.size_bytes}});
  }
}

/// The device keeps them apart from global memory, as it does parameters.
void memory_map::add_constants() {
  for (const memory_object& o : tagged_objects(constant_tag, arena::alignment_bytes)) {
    parameters_.push_back({o.address, o.size_bytes});
  }
}

const std::byte* memory_map::global_bytes(std::size_t offset) const {
  for (const device_variable& v : device_variables_) {
    const std::size_t at = offset - v.place.offset;
    if (at < v.place.size_bytes) return reinterpret_cast<const std::byte*>(v.address + at);
  }
  return reinterpret_cast<const std::byte*>(memory_.base() + offset);
}

bool memory_map::inside_global(std::size_t offset, std::size_t bytes) {
  const auto& buffers = memory_.buffers();
  if (last_buffer_ < buffers.size() && buffers[last_buffer_].holds(offset, bytes)) return true;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].holds(offset, bytes)) continue;
    last_buffer_ = i;
    return true;
  }
  return false;
}

std::vector<buffer> memory_map::shared_extents() const {
  std::vector<buffer> extents;
  const auto add = [&extents](buffer place, unsigned rank) {
    place.offset += rank * shared_window_bytes;
    extents.push_back(std::move(place));
  };
  for (unsigned r = 0; r < blocks_; ++r) {
    add(dynamic_, r);
    for (const static_array& a : static_arrays_) {
      if (a.touched) add(a.place, r);
    }
  }
  return extents;
}

std::string memory_map::describe(space where, std::size_t offset, std::size_t bytes) const {
  if (where == space::global) {
    const buffer* near = memory_.nearest(offset);
    return near == nullptr ? "no buffer there" : distance_to(*near, offset, bytes);
  }
  offset %= shared_window_bytes;
  if (offset < dynamic_window_bytes) return distance_to(dynamic_, offset, bytes);
  for (const static_array& a : static_arrays_) {
    if (offset - a.place.offset < a.place.size_bytes) return distance_to(a.place, offset, bytes);
  }
  return "no shared array there";
}

std::string memory_map::describe_unknown(std::uintptr_t address, std::size_t bytes) const {
  if (address == 0) return "null pointer";
  buffer before;  // nothing
  const auto look_at = [&](std::uintptr_t begin, const buffer& place) {
    if (begin > address || begin < before.offset) return;
    before = {place.name, begin, place.size_bytes};
  };
  for (const static_array& a : static_arrays_) look_at(a.address, a.place);
  for (const device_variable& v : device_variables_) look_at(v.address, v.place);
  if (address - before.offset > before.size_bytes + near_bytes) return "outside device memory";
  return distance_to(before, address, bytes);
}

}  // namespace onefold::simt
