// SPDX-License-Identifier: Apache-2.0
// The summation order of fast columns by bands of rows (docs/specification.md, section 3): groups
// of 16 rows, 64 groups a band, and a tree of bands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "request/bands.hpp"

namespace onefold::cpu {

/// Rows first … first + count - 1 at one index of the outer reduced axes, within one band.
struct band_slice {
  std::int64_t pass = 0, first = 0, count = 0;
  bool begins = false, ends = false;  ///< the band
};

/// Divides the rows of all passes into groups and bands. Groups end with their pass; bands do not.
class band_cut {
 public:
  /// passes > 0 times rows > 0 rows.
  band_cut(std::int64_t passes, std::int64_t rows)
      : rows_(rows), a_pass_(groups_of(rows)), groups_(passes * a_pass_) {}

  bool more() const { return next_ < groups_; }

  /// The next rows. Precondition: more().
  band_slice next() {
    const std::int64_t in_pass = next_ % a_pass_, in_band = next_ % tuning::band_groups;
    const std::int64_t groups = std::min(a_pass_ - in_pass, tuning::band_groups - in_band);
    band_slice slice = {next_ / a_pass_, in_pass * tuning::group_rows, 0, in_band == 0, false};
    slice.count = std::min(groups * tuning::group_rows, rows_ - slice.first);
    next_ += groups;
    slice.ends = next_ % tuning::band_groups == 0 || !more();
    return slice;
  }

 private:
  std::int64_t rows_, a_pass_, groups_, next_ = 0;  // next_: a group
};

/// The summation tree of the bands of some columns: a binary counter, as for chunks
/// (state/chunk_tree.hpp). Precondition of push and fold: the thread is inside a float_environment.
template <class Number>
class band_tree {
 public:
  explicit band_tree(std::int64_t columns) : columns_(std::size_t(columns)) {}

  /// Adds the next band's sums, one a column. Throws std::bad_alloc.
  void push(const Number* sums) {
    std::vector<Number> merged(sums, sums + columns_);
    for (std::int64_t left = bands_++; left % 2 == 1; left /= 2) join(merged);
    pending_.push_back(std::move(merged));
  }

  /// Writes the columns' sums. Precondition: a band has been pushed.
  void fold(Number* sums) {
    std::vector<Number> merged = std::move(pending_.back());
    for (pending_.pop_back(); !pending_.empty();) join(merged);
    std::copy(merged.begin(), merged.end(), sums);
  }

 private:
  // Merges the most recently pushed sums into `right`, as its left operand.
  void join(std::vector<Number>& right) {
    const std::vector<Number>& left = pending_.back();
    for (std::size_t k = 0; k < columns_; ++k) right[k] = left[k] + right[k];
    pending_.pop_back();
  }

  std::size_t columns_;
  std::int64_t bands_ = 0;
  std::vector<std::vector<Number>> pending_;  // one for each set bit of bands_, largest first
};

}  // namespace onefold::cpu
