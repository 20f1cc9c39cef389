// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the executor tells: one interface of empty virtuals. An observer overrides what it needs
// and is attached to the executor; it never changes what the kernel does.

#include "simt/lane_calls.hpp"
#include "simt/launch.hpp"
#include "simt/sites.hpp"

namespace onefold::simt {

class arena;
class findings;
class memory_map;

enum class space : std::uint8_t { global, shared };

/// Where a lane stands: its number, its warp, its place in the warp. Lanes and warps of a cluster
/// are numbered through its blocks.
struct lane_position {
  std::uint16_t thread = 0;
  std::uint16_t warp = 0;
  std::uint16_t lane = 0;
};

/// What an access is to an asynchronous copy, if to any: a write of its destination has several
/// moments.
enum class copy_moment : std::uint8_t {
  none,
  begins,     ///< from here on the destination is poison
  lands,      ///< at a wait of the lane that began it
  delivered,  ///< at a wait on an mbarrier, by any lane
};

constexpr bool lands(copy_moment moment) {
  return moment == copy_moment::lands || moment == copy_moment::delivered;
}

struct memory_access {
  space where;
  bool writes;
  bool inside;  ///< whether every byte belongs to one buffer or shared array
  std::uint16_t size_bytes;
  site_id site;
  lane_position who;
  std::size_t offset;   ///< from the start of the arena, or of the shared window
  bool atomic = false;  ///< then it also writes
  bool reads = false;   ///< an atomic that stores whatever was there does not
  copy_moment copy = copy_moment::none;
};

/// A warp operation whose lanes have all come.
struct warp_operation_view {
  warp_word word;
  site_id site;  ///< of its first lane; the lanes of one operation may stand on different lines
  unsigned warp;
  std::uint32_t lanes;
};

struct launch_view {
  const launch_config& config;
  const memory_map& map;
  arena& memory;
  findings& report;
  const site_table& sites;
  unsigned threads;  ///< of a cluster, most often one block
  unsigned warps;    ///< of a cluster
};

struct barrier_view {
  unsigned block;
  unsigned interval;       ///< barriers the block has passed before this one
  unsigned warps_waiting;  ///< warps of which at least one lane has come here
  bool alone = true;       ///< whether no other block runs with this one; else it has these warps:
  unsigned first_warp = 0;
  unsigned warps = 0;
};

/// What lanes leave at some point for others that come there later: a phase of an mbarrier or of
/// the cluster's barrier.
using meeting = std::uint64_t;

class observer {
 public:
  virtual ~observer() = default;

  virtual void launch_begins(const launch_view&) {}
  /// Of a cluster: once, for its first block.
  virtual void block_begins(unsigned /*block*/) {}
  virtual void access(const memory_access&) {}
  /// A lane has entered a basic block. Only told to observers that want steps.
  virtual void step(const lane_position&, std::uintptr_t /*block_pc*/) {}
  virtual void fence(const lane_position&, fence_scope, site_id) {}
  virtual void warp_operation(const warp_operation_view&) {}
  /// Whatever comes before the release comes before what follows an acquire of the same meeting.
  virtual void releases(const lane_position&, meeting) {}
  virtual void acquires(const lane_position&, meeting) {}
  /// Operations of counted<T> by a lane in its life, told before it ends when there are any.
  virtual void element_operations(const lane_position&, std::uint64_t /*count*/) {}
  virtual void lane_ends(const lane_position&) {}
  virtual void barrier(const barrier_view&) {}
  virtual void block_ends(unsigned /*block*/) {}

  virtual bool wants_accesses() const { return true; }
  virtual bool wants_steps() const { return false; }
};

/// Ends a list of blocks: no block has this address.
inline constexpr std::uintptr_t path_end = 1;

/// Knows where a lane will probably go, because another one has gone there. Blocks are by far the
/// most frequent event; those that were expected cost one comparison and no call.
class path_follower {
 public:
  virtual ~path_follower() = default;
  /// The blocks that the lane is expected to enter next, up to a path_end.
  virtual const std::uintptr_t* expected(const lane_position&) = 0;
  /// It has entered that many of them.
  virtual void went(const lane_position&, std::size_t steps) = 0;
  /// It has entered this one.
  virtual void step(const lane_position&, std::uintptr_t block_pc) = 0;
};

}  // namespace onefold::simt
