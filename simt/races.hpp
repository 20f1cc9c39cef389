// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data races: two accesses to the same byte by different lanes, at least one a write, with no
// barrier of their block between them; or by lanes of different blocks of one launch, whatever
// lies between them.
//
// Each word remembers its last writer and the set of its readers since the last barrier: a mask
// of lanes of one warp, and a flag for lanes of further warps. The set matters: with only the last
// reader, a lane's own read would hide another lane's earlier read from the write that follows.
// Invariant: if no race is reported on a word in an interval, then all its writes are one lane's
// and no other lane reads it. So whether a word is racy does not depend on the schedule; which
// two of its accesses are named may.
//
// Words of 4 bytes are followed whole until an access touches only a part of one; from then on
// its bytes are followed singly, so lanes that store neighbouring bytes do not race.

#include "simt/observer.hpp"
#include "simt/pages.hpp"

#include <array>

namespace onefold::simt {

class race_check : public observer {
 public:
  race_check();

  void launch_begins(const launch_view& launch) override;
  void block_begins(unsigned block) override;
  void access(const memory_access& access) override;
  void barrier(const barrier_view&) override { ++now_; }

 private:
  // An epoch is one barrier interval of one block, numbered through all launches; 0 is "never".
  using epoch = std::uint32_t;

  struct cell {
    epoch written = 0;
    epoch read = 0;
    std::uint32_t readers = 0;  ///< lanes of reader_warp that read in epoch `read`
    std::uint16_t writer = 0;
    site_id write_site = no_site;
    // The last two different lanes that read: at least one of them is not the lane that writes
    // next, and it is the one to name.
    std::array<std::uint16_t, 2> reader{};
    std::array<site_id, 2> read_site{};
    std::uint8_t reader_warp = 0;
    bool other_warps_read : 1 = false;   ///< in epoch `read`
    bool other_blocks_read : 1 = false;  ///< in an earlier epoch of this launch
    bool split : 1 = false;              ///< followed by bytes
  };

  struct memory_shadow {
    shadow<cell> words;
    shadow<cell> bytes;
  };

  void check_word(memory_shadow& memory, const memory_access& access, std::size_t word);
  void check(cell& c, const memory_access& access);
  bool conflicts_with_writer(const cell& c, const memory_access& access) const;
  bool conflicts_with_readers(const cell& c, const memory_access& access) const;
  static site_id reader_to_name(const cell& c, const memory_access& access);
  void note_reader(cell& c, const memory_access& access) const;
  void report(const memory_access& access, site_id other, bool other_writes);

  /// Whether that epoch was in this launch but in an earlier block, and can still matter: shared
  /// memory is a block's own.
  bool other_block(epoch e, space where) const {
    return where == space::global && e >= launch_begin_ && e < block_begin_;
  }

  memory_shadow global_, shared_;
  epoch now_ = 0;
  epoch block_begin_ = 0;
  epoch launch_begin_ = 0;
  findings* report_ = nullptr;
};

}  // namespace onefold::simt
