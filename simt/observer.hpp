// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the executor tells: one interface of empty virtuals. An observer overrides what it needs
// and is attached to the executor; it never changes what the kernel does.

#include "simt/launch.hpp"
#include "simt/sites.hpp"

namespace onefold::simt {

class arena;
class findings;
class memory_map;

enum class space : std::uint8_t { global, shared };

/// Where a lane stands: its number in the block, its warp, its place in the warp.
struct lane_position {
  std::uint16_t thread = 0;
  std::uint16_t warp = 0;
  std::uint16_t lane = 0;
};

struct memory_access {
  space where;
  bool writes;
  bool inside;  ///< whether every byte belongs to one buffer or shared array
  std::uint16_t size_bytes;
  site_id site;
  lane_position who;
  std::size_t offset;  ///< from the start of the arena, or of the shared window
};

struct launch_view {
  const launch_config& config;
  const memory_map& map;
  arena& memory;
  findings& report;
  const site_table& sites;
  unsigned threads;  ///< of a block
  unsigned warps;    ///< of a block
};

struct barrier_view {
  unsigned block;
  unsigned interval;       ///< barriers the block has passed before this one
  unsigned warps_waiting;  ///< warps of which at least one lane has come here
};

class observer {
 public:
  virtual ~observer() = default;

  virtual void launch_begins(const launch_view&) {}
  virtual void block_begins(unsigned /*block*/) {}
  virtual void access(const memory_access&) {}
  /// A lane has entered a basic block. Only told to observers that want steps.
  virtual void step(const lane_position&, std::uintptr_t /*block_pc*/) {}
  virtual void lane_ends(const lane_position&) {}
  virtual void barrier(const barrier_view&) {}
  virtual void block_ends(unsigned /*block*/) {}

  virtual bool wants_steps() const { return false; }
};

}  // namespace onefold::simt
