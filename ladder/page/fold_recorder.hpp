// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which element folds with which, and which lane reads which element when: read off the accesses of
// launches small enough to draw, not computed from theory.

#include "ladder/page/page.hpp"

#include <map>
#include <tuple>

namespace onefold::ladder {

/// Attach it as the observer of one trial. What a lane stores is made of what it read since it
/// stored last, and all that it stores before it reads again is; a lane that stores where it stored
/// before has kept, in a register, what it had there. The value that it stores is read from memory
/// at the next event of the lane, which has then stored it. Registers that lanes exchange by
/// shuffles are not seen: what a block then leaves in global memory is taken to hold all that its
/// lanes have read.
class fold_recorder : public simt::observer {
 public:
  enum class extent { block_0, all_launches };

  explicit fold_recorder(element type, extent watched = extent::block_0)
      : type_(type), item_bytes_(size_bytes(type)), extent_(watched) {}

  void launch_begins(const simt::launch_view& launch) override;
  void block_begins(unsigned block) override;
  void access(const simt::memory_access& access) override;
  void barrier(const simt::barrier_view& barrier) override;
  void warp_operation(const simt::warp_operation_view& operation) override;
  void lane_ends(const simt::lane_position& who) override { settle(who.thread); }

  /// In the order of the kernel's stores; steps are numbered from 0 without gaps.
  std::vector<fold> folds() const;
  const std::vector<unsigned>& grids() const { return grids_; }
  const std::vector<lane_access>& accesses() const { return accesses_; }
  /// Of the first launch.
  const std::vector<buffer_size>& buffers() const { return buffers_; }
  /// The value of each element that a lane has read, by its index.
  const std::map<std::size_t, double>& elements() const { return elements_; }
  /// Whether lanes have handed each other registers; then the folds are not the whole story.
  bool in_registers() const { return in_registers_; }

 private:
  using address = std::pair<simt::space, std::size_t>;

  struct content {
    cell at;
    std::vector<std::size_t> elements;
    bool unknown = false;  ///< also made of bytes that are no element
    unsigned writer = 0;
    std::size_t bytes = 0;  ///< that the store was wide
  };

  struct lane_record {
    std::vector<content> read;  ///< what its next store is made of
    std::vector<content> left;  ///< stored since it read last
    unsigned interval = 0;
    unsigned step = 0;    ///< in this interval
    bool stored = false;  ///< by its last access
  };

  /// Launch, block, interval, step in it, and how often the cell was stored to in that step before.
  using step_key = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>;

  /// A store whose value is not in memory yet.
  struct pending_store {
    std::size_t fold;
    address to;
  };

  cell cell_at(const simt::memory_access& access, std::size_t bytes) const;
  lane_record& lane_of(const simt::memory_access& access);
  void reads(const simt::memory_access& access);
  void writes(const simt::memory_access& access);
  void note(const simt::memory_access& access, const cell& at);
  void hold_all_read(fold& made);
  const content* known_at(const address& where) const;
  content brought(const simt::memory_access& access, const cell& at);
  std::optional<double> value_at(const address& at) const;
  void settle(unsigned thread);
  std::size_t static_shared() const;

  element type_;
  std::size_t item_bytes_;
  extent extent_;
  const simt::arena* memory_ = nullptr;
  const simt::memory_map* map_ = nullptr;
  unsigned launches_ = 0;
  unsigned block_ = 0;
  bool watched_ = false;
  unsigned interval_ = 0;
  std::map<address, content> contents_;  ///< of cells that the kernel has written
  std::map<unsigned, lane_record> lanes_;
  std::map<unsigned, pending_store> pending_;  ///< by lane
  std::map<std::size_t, double> elements_;
  std::vector<std::pair<step_key, fold>> folds_;
  bool in_registers_ = false;
  std::vector<unsigned> grids_;
  std::vector<buffer_size> buffers_;
  std::vector<lane_access> accesses_;
  /// Of the block: by lane, kind and buffer.
  std::map<std::tuple<unsigned, bool, std::string>, unsigned> rounds_;
  std::vector<std::size_t> block_read_;  ///< elements, of the block
  bool block_shuffles_ = false;
};

}  // namespace onefold::ladder
