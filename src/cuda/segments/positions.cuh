// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the extrema of segments first are.

#include "cuda/segments/extremes.cuh"

namespace onefold::cuda {

/// The first NaN, and both ends: keys of which both zeros have one, and where the first element of
/// that key is. Places are positions, or of a lane those in its window.
template <class Place>
struct positions_sum {
  static constexpr int parts = 5;
  static constexpr Place none = Place(std::make_unsigned_t<Place>(~Place(0)) >> 1);
  Place nan_at = none, least_at = none, largest_at = none;
  std::int64_t least = 0, largest = 0;

  ONEFOLD_DEVICE static void take(std::int64_t& to, Place& to_at, std::int64_t key, Place at,
                                  bool beyond) {
    const bool there = at != none, first = to_at == none;
    const bool same = there && !first && key == to;
    const bool wins = there && (first || beyond);
    to_at = same ? min(to_at, at) : wins ? at : to_at;
    to = wins ? key : to;
  }
  ONEFOLD_DEVICE void join(const positions_sum& other) {
    nan_at = min(nan_at, other.nan_at);
    take(least, least_at, other.least, other.least_at, other.least < least);
    take(largest, largest_at, other.largest, other.largest_at, other.largest > largest);
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(nan_at), f(least_at), f(largest_at), f(least), f(largest);
  }
};

class segment_positions : public selection_fold<segment_positions, positions_sum<std::int64_t>> {
 public:
  using sum = positions_sum<std::int64_t>;
  using part = positions_sum<int>;
  using selection_fold::selection_fold;

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_each(part& to, const Each& each) const {
    using key = std::conditional_t<sizeof(Raw) == 8, std::int64_t, std::int32_t>;
    const element_keys<key> keys(kind_);
    const bool truths = kind_.type == dtype::boolean, floats = kind_.floating;
    key least = key(to.least), largest = key(to.largest);
    each([&](Raw raw, int at) {
      const key own = keys.of(Raw(truths ? raw != 0 : raw));
      const bool nan = keys.is_nan(own), first = to.least_at == part::none;
      const key mine = own + (floats && own < 0);  // both zeros are one value
      const bool below = !nan && (first || mine < least), above = !nan && (first || mine > largest);
      to.nan_at = nan ? min(to.nan_at, at) : to.nan_at;
      least = below ? mine : least, to.least_at = below ? at : to.least_at;
      largest = above ? mine : largest, to.largest_at = above ? at : to.largest_at;
    });
    to.least = least, to.largest = largest;
  }
  ONEFOLD_DEVICE static sum sum_of(const part& of, std::int64_t base) {
    sum made;
    if (of.nan_at != part::none) made.nan_at = base + of.nan_at;
    if (of.least_at == part::none) return made;
    made.least = of.least, made.least_at = base + of.least_at;
    made.largest = of.largest, made.largest_at = base + of.largest_at;
    return made;
  }
  ONEFOLD_DEVICE unsigned write_rest(const sum& of, std::int64_t, std::int64_t k) const {
    const bool nan = of.nan_at != sum::none;
    if (refuses(nan)) return met_nan;
    const bool is_nan = nan && !omits();
    if (of.least_at == sum::none && !is_nan) return segment_is_empty;
    const std::int64_t at = is_nan ? of.nan_at : what() == op::argmin ? of.least_at : of.largest_at;
    put(k, std::uint64_t(at - k * a_.of.length + a_.of.first_index), 8);
    return 0;
  }
};

}  // namespace onefold::cuda
