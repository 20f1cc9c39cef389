// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts how often each element of one buffer is read: a kernel that should read every element
// once and reads some twice and others never is caught even when the sum happens to be right.

#include "ladder/rung/trial.hpp"
#include "simt/observer.hpp"

#include <algorithm>

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

}  // namespace onefold::ladder
