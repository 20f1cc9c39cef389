// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data races: two accesses to the same byte by different lanes, at least one a write and at least
// one not atomic, of which neither comes before the other (order.hpp).
//
// Each word remembers its last writer and the set of its readers: as long as they are lanes of one
// warp at one clock, a mask. The set matters: with only the last reader, a lane's own read would
// hide another lane's earlier read from the write that follows. Readers of several warps or
// clocks, and atomics, go to a side table (access_set.hpp). What comes before a new access of its
// kind is dropped for it; the verdict on a word stays exact, as in FastTrack.
//
// Whether a word is racy does not depend on the schedule as long as atomics order nothing; which
// two of its accesses are named may. What atomics order is what they ordered in this run.
//
// Words of 4 bytes are followed whole until an access touches only a part of one; from then on
// its bytes are followed singly, so lanes that store neighbouring bytes do not race.
//
// Source: C. Flanagan, S. Freund, FastTrack: efficient and precise dynamic race detection, PLDI
// 2009.

#include "simt/access_set.hpp"
#include "simt/pages.hpp"

#include <array>

namespace onefold::simt {

class race_check : public observer {
 public:
  race_check();

  void launch_begins(const launch_view& launch) override;
  void block_begins(unsigned block) override;
  void access(const memory_access& access) override;
  void barrier(const barrier_view& barrier) override {
    barrier.alone ? order_.barrier() : order_.barrier(barrier.first_warp, barrier.warps);
  }
  void releases(const lane_position& who, meeting at) override { order_.release(who, at); }
  void acquires(const lane_position& who, meeting at) override { order_.acquire(who, at); }
  void warp_operation(const warp_operation_view& operation) override;
  void fence(const lane_position& who, fence_scope scope, site_id) override {
    order_.fence(who, scope);
  }

 private:
  struct cell {
    epoch written = 0;
    epoch read = 0;             ///< of the readers; of a crowd, when it was last touched
    std::uint32_t readers = 0;  ///< lanes of reader_warp; of a crowd, its place in the side table
    lane_clock write_clock = 0;
    lane_clock read_clock = 0;
    std::uint16_t writer = 0;
    site_id write_site = no_site;
    // The last reader, and the site of the last other one: the lane that writes next is not both,
    // and it is the other that is to be named.
    std::uint16_t reader = 0;
    std::array<site_id, 2> read_site{};
    std::uint16_t reader_warp : 13 = 0;
    bool finished_blocks_read : 1 = false;  ///< of this launch, and nothing will order them
    bool crowded : 1 = false;
    bool split : 1 = false;  ///< followed by bytes
  };
  static_assert(sizeof(cell) == 32, "A cell is half a cache line.");

  struct crowd {
    access_set readers, atomics;
  };

  struct memory_shadow {
    shadow<cell> words;
    shadow<cell> bytes;
    std::vector<crowd> crowds;
    std::size_t crowds_used = 0;
    epoch begin = 0;  ///< what is older does not count: of the launch, or of the block
  };

  static memory_shadow make_shadow(std::size_t size_bytes);
  void check_word(memory_shadow& memory, const memory_access& access, std::size_t word);
  void split(memory_shadow& memory, std::size_t word);
  void check(memory_shadow& memory, cell& c, const memory_access& access);
  void check_writer(const memory_shadow& memory, const cell& c, const memory_access& access);
  void check_readers(const memory_shadow& memory, const cell& c, const memory_access& access);
  void check_set(access_set& set, const memory_access& access, const char* kind);
  void note_writer(cell& c, const memory_access& access);
  void note_reader(memory_shadow& memory, cell& c, const memory_access& access);
  bool needs_crowd(cell& c, const memory_access& access) const;
  void check_crowd(memory_shadow& memory, cell& c, const memory_access& access);
  void note_atomic(crowd& all, const memory_access& access);
  bool is_crowded(const memory_shadow& memory, const cell& c) const {
    return c.crowded && c.read >= memory.begin;
  }
  crowd& new_crowd(memory_shadow& memory, cell& c);
  crowd& crowd_of(memory_shadow& memory, cell& c, const memory_access& access);
  access_set::entry entry_of(const memory_access& access) const;
  void report(const memory_access& access, access_set::rival other, const char* other_kind);

  happens_before order_;
  memory_shadow global_, shared_;
  unsigned blocks_ = 1;                    ///< that shared_ has room for
  std::vector<access_set::rival> rivals_;  ///< of the running access
  findings* report_ = nullptr;
};

}  // namespace onefold::simt
