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

bool all_set(const std::uint8_t* bytes, std::size_t count) {
  return std::find(bytes, bytes + count, std::uint8_t{0}) == bytes + count;
}

}  // namespace

initialisation_check::initialisation_check() : shared_(memory_map::shared_window_bytes) {}

void bounds_check::launch_begins(const launch_view& launch) {
  map_ = &launch.map;
  report_ = &launch.report;
}

void bounds_check::access(const memory_access& access) {
  if (access.inside) return;
  std::string* detail = report_->add(defect::bounds, access.site);
  if (detail != nullptr) *detail = sentence(access, *map_);
}

void initialisation_check::launch_begins(const launch_view& launch) {
  map_ = &launch.map;
  report_ = &launch.report;
  global_ = launch.memory.written();
}

void initialisation_check::block_begins(unsigned) {
  for (const buffer& b : map_->shared_extents()) {
    std::memset(shared_.data() + b.offset, 0, b.size_bytes);
  }
}

void initialisation_check::access(const memory_access& access) {
  if (!access.inside) return;
  std::uint8_t* bytes = (access.where == space::shared ? shared_.data() : global_) + access.offset;
  const bool unwritten = access.reads && !all_set(bytes, access.size_bytes);
  if (access.writes) std::memset(bytes, 1, access.size_bytes);
  if (!unwritten) return;
  if (std::string* detail = report_->add(defect::uninitialised, access.site)) {
    *detail =
        std::string("read of ") + std::to_string(access.size_bytes) +
        (access.where == space::shared ? " bytes of shared memory" : " bytes of global memory") +
        " that nothing has written";
  }
}

}  // namespace onefold::simt
