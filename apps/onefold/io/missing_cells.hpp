// SPDX-License-Identifier: Apache-2.0
// The places where --missing skip omitted cells of a text. A position counts all cells of the
// input, numbers or not; the cells of two inputs belong together by their positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace onefold::program {

class missing_cells {
 public:
  /// Adds a cell before the number of this index. Order: ascending.
  void add(std::int64_t next_number) { before_.push_back(next_number); }
  bool empty() const noexcept { return dropped_ == 0 && before_.empty(); }
  std::int64_t size() const noexcept { return dropped_ + std::ssize(before_); }

  /// The position of a number among all cells. Precondition: keep_from() kept the cells before it.
  std::int64_t position(std::int64_t number) const {
    return number + dropped_ + (end_before(number) - before_.begin());
  }
  /// The positions of these cells, ascending. Precondition: no call of keep_from().
  std::vector<std::int64_t> positions() const {
    std::vector<std::int64_t> all = before_;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += std::int64_t(i);
    return all;
  }
  /// Keeps only the cells that positions of this number and later ones need.
  void keep_from(std::int64_t number) {
    const auto end = end_before(number - 1);
    dropped_ += end - before_.begin();
    before_.erase(before_.begin(), end);
  }

 private:
  std::vector<std::int64_t>::const_iterator end_before(std::int64_t number) const {
    return std::upper_bound(before_.begin(), before_.end(), number);
  }

  std::vector<std::int64_t> before_;  // for each cell the index of the number after it
  std::int64_t dropped_ = 0;          // cells before all of these
};

}  // namespace onefold::program
