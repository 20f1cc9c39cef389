// SPDX-License-Identifier: Apache-2.0
#include "simt/memory_checks.hpp"

#include "simt/findings.hpp"
#include "simt/memory_map.hpp"

#include <algorithm>
#include <cstring>

namespace onefold::simt {
namespace {

std::string sentence(const memory_access& access, const memory_map& map) {
  return std::string(access.writes ? "write" : "read") + " of " +
         std::to_string(access.size_bytes) + " bytes, " +
         map.describe(access.where, access.offset, access.size_bytes);
}

constexpr std::uint8_t unwritten = 0, written = 1, in_flight = 2;  // of a byte

bool any_is(std::uint8_t state, const std::uint8_t* bytes, std::size_t count) {
  return std::find(bytes, bytes + count, state) != bytes + count;
}

bool all_written(const std::uint8_t* bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](std::uint8_t state) { return state == written; });
}

}  // namespace

initialisation_check::initialisation_check() : shared_(memory_map::shared_window_bytes) {}

void bounds_check::launch_begins(const launch_view& launch) {
  map_ = &launch.map;
  report_ = &launch.report;
}

void bounds_check::access(const memory_access& access) {
  if (access.inside || lands(access.copy)) return;
  std::string* detail = report_->add(defect::bounds, access.site);
  if (detail != nullptr) *detail = sentence(access, *map_);
}

void initialisation_check::launch_begins(const launch_view& launch) {
  map_ = &launch.map;
  report_ = &launch.report;
  global_ = launch.memory.written();
  if (launch.config.cluster > blocks_) {
    blocks_ = launch.config.cluster;
    shared_ = shadow<std::uint8_t>(blocks_ * memory_map::shared_window_bytes);
  }
}

void initialisation_check::block_begins(unsigned) {
  for (const buffer& b : map_->shared_extents()) {
    std::memset(shared_.data() + b.offset, unwritten, b.size_bytes);
  }
  copies_ = false;
}

void initialisation_check::access(const memory_access& access) {
  if (!access.inside) return;
  std::uint8_t* bytes = (access.where == space::shared ? shared_.data() : global_) + access.offset;
  const std::size_t count = access.size_bytes;
  const bool unreadable = access.reads && !all_written(bytes, count) && !is_padding(bytes, count);
  if (access.writes) {
    if (copies_ && !lands(access.copy) && any_is(in_flight, bytes, count))
      report_overwritten(access);
    const bool begins = access.copy == copy_moment::begins;
    copies_ = copies_ || begins;
    std::memset(bytes, begins ? in_flight : written, count);
  }
  if (unreadable) report_unreadable(access, any_is(in_flight, bytes, count));
}

/// Whether every byte that is not written is a hole of some struct of this size.
bool initialisation_check::is_padding(const std::uint8_t* bytes, std::size_t count) const {
  return std::any_of(structs_.begin(), structs_.end(), [&](const std::vector<bool>& holds) {
    if (holds.size() != count) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (bytes[i] != written && (holds[i] || bytes[i] == in_flight)) return false;
    }
    return true;
  });
}

void initialisation_check::report_overwritten(const memory_access& access) {
  if (std::string* detail = report_->add(defect::asynchronous_copy, access.site)) {
    *detail = (access.copy == copy_moment::begins ? "copy of " : "write of ") +
              std::to_string(access.size_bytes) +
              " bytes of shared memory into which an asynchronous copy has yet to land";
  }
}

void initialisation_check::report_unreadable(const memory_access& access, bool flying) {
  const defect kind = flying ? defect::asynchronous_copy : defect::uninitialised;
  if (std::string* detail = report_->add(kind, access.site)) {
    *detail = "read of " + std::to_string(access.size_bytes) + " bytes of " +
              (access.where == space::shared ? "shared" : "global") + " memory " +
              (flying ? "before their asynchronous copy has landed" : "that nothing has written");
  }
}

}  // namespace onefold::simt
