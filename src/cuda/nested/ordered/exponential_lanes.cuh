// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of a chunk that a warp adds up.

#include "cuda/nested/ordered/chunk_rows.cuh"
#include "cuda/parts/exponential_terms.cuh"

namespace onefold::cuda {

/// Two virtual lanes of a sum of exponentials: blocks of 32 rows, each summed apart, and a last row
/// that is not whole.
template <class T>
class exponential_lanes {
 public:
  using sum = exponential_sum<T>;

  ONEFOLD_DEVICE explicit exponential_lanes(const chunk_exponentials<T>& of) : of_(of) {}

  /// The next count elements, fewer than batch_items at the end alone; Each of a lane at once.
  template <int Each, int Count>
  ONEFOLD_DEVICE void take(const double (&x)[Count], int count) {
    const bool all = count == batch_items;
    const int whole = all ? Count : count / int(virtual_lanes);
    ONEFOLD_UNROLL
    for (int first = 0; first < Count; first += Each) {
      double some[Each];
      sum next[Each];
      ONEFOLD_UNROLL
      for (int i = 0; i < Each; ++i) some[i] = is_held(first + i, count) ? x[first + i] : -INFINITY;
      of_.template terms_of<false>(some, next);
      ONEFOLD_UNROLL
      for (int i = 0; i < Each; ++i) {
        if (i % 2 == 0 && (first + i) / 2 == whole) close();  // a partial row is a group of its own
        sums_[i % 2] += next[i];
      }
    }
    if (all) rows_ += held_items / 2;
    if (!all || rows_ == exponential_rows) close();
  }
  /// The next batch_items elements. Near: as terms_of.
  template <bool Near>
  ONEFOLD_DEVICE void take_batch(const double (&x)[held_items]) {
    sum next[held_items];
    of_.template terms_of<Near>(x, next);
    ONEFOLD_UNROLL
    for (int i = 0; i < held_items; ++i) sums_[i % 2] += next[i];
    rows_ += held_items / 2;
    if (rows_ == exponential_rows) close();
  }
  ONEFOLD_DEVICE sum folded() const { return fold_rows(totals_); }

 private:
  ONEFOLD_DEVICE void close() {
    totals_[0] += sums_[0], totals_[1] += sums_[1];
    sums_[0] = sums_[1] = 0;
    rows_ = 0;
  }
  const chunk_exponentials<T>& of_;
  sum sums_[2] = {0, 0}, totals_[2] = {0, 0};
  int rows_ = 0;
};

}  // namespace onefold::cuda
