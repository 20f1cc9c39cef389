// SPDX-License-Identifier: Apache-2.0
#pragma once
// Watches the buffers of one launch: how often each element of the input is read, which bytes of
// the others the kernel wrote, and whether it read any of them before that.

#include "simt/observer.hpp"

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
    input_ = input;
    item_bytes_ = item_bytes;
    reads_.assign(input.bytes / item_bytes, 0);
  }

  /// Numbered in the order of the calls.
  void follow(extent buffer) { followed_.push_back({buffer, std::vector<bool>(buffer.bytes)}); }

  void launch_begins(const simt::launch_view& launch) override { sites_ = &launch.sites; }
  void access(const simt::memory_access& access) override;

  std::size_t never_read() const;
  std::size_t read_again() const;
  bool wrote(std::size_t buffer, std::size_t first_byte, std::size_t last_byte) const;
  /// A lane read bytes that no lane had written: the host must have cleared them.
  bool read_first(std::size_t buffer) const { return followed_[buffer].read_first; }

  /// Of the last access, for the report of a crash.
  std::uintptr_t last_pc() const { return sites_ == nullptr ? 0 : sites_->pc_of(last_site_); }

 private:
  struct followed {
    extent place;
    std::vector<bool> written;
    bool read_first = false;
  };

  extent input_;
  unsigned item_bytes_ = 1;
  std::vector<std::uint8_t> reads_;  ///< 2 stands for twice or more
  std::vector<followed> followed_;
  const simt::site_table* sites_ = nullptr;
  simt::site_id last_site_ = simt::no_site;
};

}  // namespace onefold::ladder::learner
