// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lane accesses become warp requests, each with its cost, and are handed to listeners at every
// barrier: counts add them up, pictures draw them.

#include "simt/banks.hpp"
#include "simt/observer.hpp"
#include "simt/warp_groups.hpp"

namespace onefold::simt {

struct warp_request {
  space where = space::global;
  bool writes = false;
  bool atomic = false;
  std::uintptr_t pc = 0;  ///< return address of the access's callback: locate(pc) is its line
  unsigned warp = 0;
  lane_addresses addresses;
};

/// A request, when it happened, and what it cost; one of the two costs is all zero.
struct priced_request {
  const warp_request& request;
  unsigned block;
  unsigned interval;
  shared_cost shared;
  global_cost global;
};

class request_listener {
 public:
  virtual ~request_listener() = default;
  virtual void request(const priced_request&) = 0;
};

class request_grouping : public observer {
 public:
  void tell(request_listener& listener) { listeners_.push_back(&listener); }

  void launch_begins(const launch_view& launch) override;
  void block_begins(unsigned) override { interval_ = 0; }
  void access(const memory_access& access) override;
  void barrier(const barrier_view& barrier) override;
  void block_ends(unsigned block) override { hand_over(block); }

 private:
  void hand_over(unsigned block);

  std::vector<warp_groups<warp_request>> warps_;
  std::vector<request_listener*> listeners_;
  const site_table* sites_ = nullptr;
  unsigned interval_ = 0;
};

}  // namespace onefold::simt
