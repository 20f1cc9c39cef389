// SPDX-License-Identifier: Apache-2.0
#pragma once
// Watches the buffers of one launch: how often each element of the input is read, which bytes of
// the others the kernel wrote, and whether it read any of them before that.

#include "simt/observer.hpp"

#include <optional>
#include <unordered_set>
#include <vector>

namespace onefold::ladder::learner {

class buffer_watch : public simt::observer {
 public:
  struct extent {
    std::size_t offset = 0, bytes = 0;  ///< in the arena
    bool holds(const simt::memory_access& a) const {
      return a.offset >= offset && a.offset + a.size_bytes <= offset + bytes;
    }
  };

  void follow_input(extent input, unsigned item_bytes) {
    inputs_.push_back({input, item_bytes, std::vector<std::uint8_t>(input.bytes / item_bytes)});
  }

  /// Numbered in the order of the calls.
  void follow(extent buffer, unsigned item_bytes = 0) {
    followed_.push_back({buffer, std::vector<bool>(buffer.bytes), {}, item_bytes});
    if (item_bytes != 0) {
      followed_.back().writers.assign(buffer.bytes / item_bytes, simt::no_site);
      followed_.back().first_reads.assign(buffer.bytes / item_bytes, false);
    }
  }

  void launch_begins(const simt::launch_view& launch) override {
    sites_ = &launch.sites;
    lane_accesses_.assign(launch.threads, 0);
  }
  void block_begins(unsigned) override { lane_accesses_.assign(lane_accesses_.size(), 0); }
  void access(const simt::memory_access& access) override;

  std::size_t never_read() const;
  std::size_t read_again() const;
  /// Elements of one input, numbered in the order of the calls.
  std::size_t read_again(std::size_t input) const;
  bool wrote(std::size_t buffer, std::size_t first_byte, std::size_t last_byte) const;
  /// A lane read bytes that no lane had written: the host must have cleared them.
  bool read_first(std::size_t buffer) const { return followed_[buffer].read_first; }
  bool read(std::size_t buffer) const { return followed_[buffer].read; }
  /// By no atomic.
  bool read_plainly(std::size_t buffer) const { return followed_[buffer].read_plainly; }
  /// Of a buffer that was followed by items: those that something was written to.
  std::size_t items_written(std::size_t buffer) const;
  std::size_t last_written_byte(std::size_t buffer) const;
  /// Of a buffer that was followed by items: those that were read before any write, and by no
  /// atomic.
  std::size_t items_read_first(std::size_t buffer) const;
  /// The return address of the last write to an item; 0: none.
  std::uintptr_t writer_of(std::size_t buffer, std::size_t item) const;
  void forget_writes(std::size_t buffer) {
    followed_[buffer].written.assign(followed_[buffer].written.size(), false);
  }

  /// The word that the last lanes read again and again and did nothing else, if the kernel has
  /// written it before: what a wait for another block looks like.
  std::optional<std::size_t> polled_offset() const;

  /// The most by one lane.
  std::uint64_t most_accesses() const { return most_accesses_; }

  /// Of the last access, for the report of a crash.
  std::uintptr_t last_pc() const { return sites_ == nullptr ? 0 : sites_->pc_of(last_site_); }

 private:
  struct followed {
    extent place;
    std::vector<bool> written;
    std::vector<simt::site_id> writers{};
    unsigned item_bytes = 0;
    std::vector<bool> first_reads{};
    bool read = false, read_plainly = false, read_first = false;
  };
  struct watched_input {
    extent place;
    unsigned item_bytes;
    std::vector<std::uint8_t> reads;  ///< 2 stands for twice or more
  };

  // A loop that reads one word so often waits for it.
  static constexpr std::uint64_t many_polls = 1000;

  static void note_items(followed& buffer, const simt::memory_access& access, bool reads);
  void note_poll(const simt::memory_access& access, bool reads);
  std::size_t elements_read(std::uint8_t times) const;

  std::vector<watched_input> inputs_;
  std::vector<followed> followed_;
  std::unordered_set<std::size_t> written_offsets_;
  std::vector<std::uint64_t> lane_accesses_;
  std::uint64_t most_accesses_ = 0;
  std::size_t polled_ = 0;   ///< offset of the last read
  std::uint64_t polls_ = 0;  ///< reads of it, one after the other
  const simt::site_table* sites_ = nullptr;
  simt::site_id last_site_ = simt::no_site;
};

}  // namespace onefold::ladder::learner
