// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts how often each element of one buffer is read: a kernel that should read every element
// once and reads some twice and others never is caught even when the sum happens to be right.

#include "ladder/rung/trial.hpp"
#include "simt/observer.hpp"

#include <algorithm>
#include <bitset>

namespace onefold::ladder {

class coverage_observer : public simt::observer {
 public:
  coverage_observer(std::size_t offset, std::size_t count, unsigned item_bytes)
      : offset_(offset), item_bytes_(item_bytes), reads_(count) {}

  void access(const simt::memory_access& access) override {
    if (access.where != simt::space::global || access.writes) return;
    // A lane may read several items at once.
    for (std::size_t byte = 0; byte < access.size_bytes; byte += item_bytes_) {
      const std::size_t item = (access.offset + byte - offset_) / item_bytes_;
      if (item >= reads_.size()) continue;
      reads_[item] = static_cast<std::uint8_t>(std::min(reads_[item] + 1, 2));
    }
  }

  coverage total() const {
    const auto with = [this](std::uint8_t times) {
      return static_cast<std::size_t>(std::count(reads_.begin(), reads_.end(), times));
    };
    return {with(0), with(1), with(2)};
  }

 private:
  std::size_t offset_;
  unsigned item_bytes_;
  std::vector<std::uint8_t> reads_;  ///< 2 stands for twice or more
};

/// Counts the lanes of block 0 that store to shared memory between two barriers: those that work in
/// a step of a tree.
class working_lanes_observer : public simt::observer {
 public:
  void launch_begins(const simt::launch_view& launch) override {
    ++launches_;
    threads_ = launch.config.block.volume();
  }
  void block_begins(unsigned block) override {
    watches_ = block == 0 && launches_ == 1;
    if (watches_) lanes_.emplace_back();
  }
  void barrier(const simt::barrier_view& barrier) override {
    if (watches_ && barrier.block == 0) lanes_.emplace_back();
  }
  void access(const simt::memory_access& access) override {
    if (!watches_ || access.where != simt::space::shared || !access.writes) return;
    // The lanes of a cluster are numbered through its blocks.
    if (access.who.thread < threads_) lanes_.back().set(access.who.thread);
  }

  std::vector<unsigned> total() const {
    std::vector<unsigned> counts;
    for (const auto& lanes : lanes_) counts.push_back(static_cast<unsigned>(lanes.count()));
    return counts;
  }

 private:
  unsigned launches_ = 0;
  std::uint64_t threads_ = 0;  ///< of a block
  bool watches_ = false;
  std::vector<std::bitset<simt::max_block_threads>> lanes_;
};

}  // namespace onefold::ladder
