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
  if (offset >= end) return std::to_string(offset - end) + " bytes past the end of " + name;
  return std::to_string(offset + bytes - end) + " bytes over the end of " + name;
}

}  // namespace

memory_map::memory_map(arena& memory) : memory_(memory), window_(dynamic_window_bytes) {}

void memory_map::begin_launch(const launch_config& config, const kernel_call& call) {
  dynamic_.size_bytes = config.dynamic_shared_bytes;
  parameters_[0] = {reinterpret_cast<std::uintptr_t>(call.closure), call.size_bytes};
  last_buffer_ = 0;
  if (const std::uint64_t now = refresh_loaded_segments(); objects_version_ != now) {
    objects_version_ = now;
    static_arrays_.clear();
    device_variables_.clear();
    static_arrays_known_ = false;
  }
}

void memory_map::begin_block() {
  std::memset(dynamic_shared(), poison, dynamic_.size_bytes);
  for (const static_array& a : static_arrays_) {
    if (a.touched) std::memset(reinterpret_cast<void*>(a.address), poison, a.place.size_bytes);
  }
}

address_info memory_map::find(std::uintptr_t address, std::size_t bytes) {
  if (const std::size_t at = address - memory_.base(); at < arena::capacity_bytes) {
    return {region::global, inside_global(at, bytes), at};
  }
  const auto window = reinterpret_cast<std::uintptr_t>(window_.data());
  if (const std::size_t at = address - window; at < window_.size()) {
    return {region::shared, dynamic_.holds(at, bytes), at};
  }
  if (is_parameter(address)) return {region::parameter, true, 0};
  if (!static_arrays_known_ && is_program_data(address)) {
    add_static_arrays();
    add_device_variables();
  }
  return find_static(address, bytes);
}

bool memory_map::is_parameter(std::uintptr_t address) const {
  return std::any_of(parameters_.begin(), parameters_.end(),
                     [address](const extent& e) { return address - e.address < e.size_bytes; });
}

address_info memory_map::find_static(std::uintptr_t address, std::size_t bytes) {
  for (static_array& a : static_arrays_) {
    const std::size_t at = address - a.address;
    if (at >= a.place.size_bytes) continue;
    if (!a.touched) std::memset(reinterpret_cast<void*>(a.address), poison, a.place.size_bytes);
    a.touched = true;
    return {region::shared, at + bytes <= a.place.size_bytes, a.place.offset + at};
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
  std::vector<buffer> extents{dynamic_};
  for (const static_array& a : static_arrays_) {
    if (a.touched) extents.push_back(a.place);
  }
  return extents;
}

std::string memory_map::describe(space where, std::size_t offset, std::size_t bytes) const {
  if (where == space::global) {
    const buffer* near = memory_.nearest(offset);
    return near == nullptr ? "no buffer there" : distance_to(*near, offset, bytes);
  }
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
