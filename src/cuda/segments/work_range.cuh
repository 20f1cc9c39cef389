// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a warp has in shared memory, and what it leaves there for its block.

#include "cuda/exact/interval.cuh"
#include "cuda/segments/window.cuh"

namespace onefold::cuda {

/// What a warp leaves for its block.
template <class Sum>
struct range_record {
  static constexpr int words = 3 + 2 * Sum::parts;
  std::int64_t* at;

  ONEFOLD_DEVICE std::int64_t first() const { return at[0]; }
  ONEFOLD_DEVICE std::int64_t last() const { return at[1]; }
  /// Whether the first segment begins, and the last one ends, in another work range.
  ONEFOLD_DEVICE bool continued() const { return (at[2] & 1) != 0; }
  ONEFOLD_DEVICE bool open() const { return (at[2] & 2) != 0; }
  ONEFOLD_DEVICE bool passes() const { return continued() && first() == last(); }
  /// Of the first segment, if it is continued and ends here; of the last one.
  ONEFOLD_DEVICE Sum head() const { return read_sum<Sum>(at + 3, 1); }
  ONEFOLD_DEVICE Sum tail() const { return read_sum<Sum>(at + 3 + Sum::parts, 1); }

  ONEFOLD_DEVICE void set(std::int64_t first, std::int64_t last, bool continued, bool open) const {
    at[0] = first, at[1] = last;
    at[2] = std::int64_t(continued) | std::int64_t(open) << 1;
  }
  ONEFOLD_DEVICE void set_head(const Sum& sum) const { write_sum(sum, at + 3, 1); }
  ONEFOLD_DEVICE void set_tail(const Sum& sum) const { write_sum(sum, at + 3 + Sum::parts, 1); }
};

/// Shared memory of a warp, in words of 64 bits: the window, digits, ends of segments, the record.
template <class Fold>
struct segment_space {
  static constexpr int window = warp_window_bytes / 8, ends = int(warp_lanes);
  static constexpr int words =
      (window + Fold::digits + ends + range_record<typename Fold::sum>::words + 1) / 2 * 2;
};

}  // namespace onefold::cuda
