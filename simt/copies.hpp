// SPDX-License-Identifier: Apache-2.0
#pragma once
// Asynchronous copies that have begun and not landed: of a lane in groups, and of an mbarrier in
// phases.

#include "simt/memory_map.hpp"

#include <array>
#include <map>
#include <span>
#include <vector>

namespace onefold::simt {

/// Up to 16 bytes; a bulk copy is several.
struct asynchronous_copy {
  void* to;
  const void* from;  ///< null: `bytes` is what is stored
  unsigned size_bytes;
  unsigned source_bytes;  ///< the others become zeros
  site_id site;
  lane_position who;
  address_info place;                 ///< of `to`
  std::array<std::byte, 16> bytes{};  ///< of the source when the copy began
  std::uint64_t group = 0;
};

/// What a lane has begun by cp.async: committed groups, in their order, and an open one.
class copy_groups {
 public:
  void clear() {
    copies_.clear();
    landed_ = 0;
    committed_ = 0;
  }
  void begin(asynchronous_copy copy) {
    copy.group = committed_;
    copies_.push_back(copy);
  }
  void commit() { ++committed_; }

  /// Calls land(copy) for those of committed groups but the `later` latest, and forgets them.
  template <class Land>
  void wait(std::uint64_t later, const Land& land) {
    while (landed_ < copies_.size() && copies_[landed_].group + later < committed_) {
      land(copies_[landed_++]);
    }
    if (2 * landed_ < copies_.size()) return;
    copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(landed_));
    landed_ = 0;
  }
  std::span<const asynchronous_copy> pending() const { return std::span(copies_).subspan(landed_); }

 private:
  std::vector<asynchronous_copy> copies_;
  std::size_t landed_ = 0;  ///< of them, from the first one on
  std::uint64_t committed_ = 0;
};

/// Who may use an mbarrier, its initialisation being visible to them.
enum class audience : std::uint8_t { lane, warp, block, cluster };

/// A phase is over when all its arrivals have come and the bytes that were expected are on their
/// way. They land when a lane has waited for it.
struct mbarrier {
  std::int64_t arrivals = 0;  ///< of a phase
  std::int64_t missing = 0;   ///< arrivals of this phase
  std::int64_t bytes = 0;     ///< expected and not yet sent
  std::uint64_t phase = 0;
  meeting now = 0, last = 0;  ///< of this phase, and of the one before
  lane_position owner;        ///< who has initialised it
  unsigned rank = 0;          ///< of its block
  site_id site = no_site;     ///< of the initialisation
  audience visible = audience::lane;
  bool fenced = false;
  std::vector<asynchronous_copy> coming;  ///< counted in this phase
  std::vector<asynchronous_copy> sent;    ///< of finished phases, which nobody has waited for yet

  bool over(unsigned parity) const { return (phase & 1) != (parity & 1); }
};

/// By the offset in the shared windows.
using mbarrier_table = std::map<std::size_t, mbarrier>;

}  // namespace onefold::simt
