// SPDX-License-Identifier: Apache-2.0
#pragma once
// The waits of kernels, and those that are left out, as if their line were missing: for tests that
// every wait counts.

#include <cstdint>
#include <map>
#include <set>

namespace onefold::simt {

enum class wait_kind : std::uint8_t {
  block_barrier,
  warp_barrier,
  commit,
  copy_wait,
  mbarrier_wait,
  cluster_barrier,
};

class wait_sites {
 public:
  /// By return address.
  using list = std::map<std::uintptr_t, wait_kind>;

  /// Notes the waits to which lanes come from now on.
  void watch() { seen_.clear(), active_ = watched_ = true; }
  const list& seen() const { return seen_; }
  void leave_out(std::set<std::uintptr_t> sites) {
    left_out_ = std::move(sites);
    watched_ = false;
    active_ = !left_out_.empty();
  }

  /// Whether the wait to which a lane has come is left out.
  bool leaves_out(std::uintptr_t pc, wait_kind kind) { return active_ && look_at(pc, kind); }

 private:
  bool look_at(std::uintptr_t pc, wait_kind kind) {
    if (watched_) seen_.emplace(pc, kind);
    return left_out_.count(pc) != 0;
  }

  list seen_;
  std::set<std::uintptr_t> left_out_;
  bool active_ = false, watched_ = false;
};

/// Of all executors: a test may not see those that it runs.
extern wait_sites all_waits;

}  // namespace onefold::simt
