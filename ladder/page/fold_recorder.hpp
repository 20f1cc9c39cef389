// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which element folds with which: read off the accesses of block 0 in a launch small enough to
// draw, not computed from theory.

#include "ladder/page/page.hpp"

#include <map>
#include <tuple>

namespace onefold::ladder {

/// Attach it as the observer of one trial. What a lane stores is made of what it read since it
/// stored last, and all that it stores before it reads again is; a lane that stores where it stored
/// before has kept, in a register, what it had there. Registers that lanes exchange by shuffles are
/// not seen.
class fold_recorder : public simt::observer {
 public:
  explicit fold_recorder(unsigned item_bytes) : item_bytes_(item_bytes) {}

  void launch_begins(const simt::launch_view& launch) override;
  void block_begins(unsigned block) override;
  void access(const simt::memory_access& access) override;
  void barrier(const simt::barrier_view& barrier) override;
  void warp_operation(const simt::warp_operation_view& operation) override;

  /// In the order of the kernel's stores; steps are numbered from 0 without gaps.
  std::vector<fold> folds() const;
  /// Whether lanes have handed each other registers; then the folds are not the whole story.
  bool in_registers() const { return in_registers_; }

 private:
  struct content {
    cell at;
    std::vector<std::size_t> elements;
    unsigned writer = 0;
  };

  using contents = std::vector<std::pair<cell, std::vector<std::size_t>>>;

  struct lane_record {
    contents read;  ///< what its next store is made of
    contents left;  ///< stored since it read last
    unsigned interval = 0;
    unsigned step = 0;    ///< in this interval
    bool stored = false;  ///< by its last access
  };

  /// Interval, step in it, and how often the cell was stored to in that step before.
  using step_key = std::tuple<unsigned, unsigned, unsigned>;

  using address = std::pair<simt::space, std::size_t>;

  cell cell_at(const simt::memory_access& access, std::size_t bytes) const;
  lane_record& lane_of(const simt::memory_access& access);
  void reads(const simt::memory_access& access);
  void writes(const simt::memory_access& access);

  std::size_t item_bytes_;
  const simt::arena* memory_ = nullptr;
  unsigned launches_ = 0;
  bool watched_ = false;
  unsigned interval_ = 0;
  std::map<address, content> contents_;  ///< of cells that the kernel has written
  std::map<unsigned, lane_record> lanes_;
  std::vector<std::pair<step_key, fold>> folds_;
  bool in_registers_ = false;
};

}  // namespace onefold::ladder
