// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the extrema of segments first are.

#include <limits>

#include "cuda/segments/extremes.cuh"

namespace onefold::cuda {

/// Where the greatest key is first. Places are positions, or of a lane those in its window.
template <class Place>
struct positions_sum {
  static constexpr int parts = 2;
  static constexpr Place none = std::numeric_limits<Place>::max();
  std::int64_t key = std::numeric_limits<std::int64_t>::min();
  Place at = none;

  ONEFOLD_DEVICE void join(const positions_sum& other) {
    const bool wins = other.key > key || (other.key == key && other.at < at);
    key = wins ? other.key : key, at = wins ? other.at : at;
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(key), f(at);
  }
};

/// Keys rise with the elements, or fall where the least is asked for; both zeros have one. That of
/// NaNs is the greatest, which no number has, or where they are left out the least.
template <class Key>
class position_keys {
 public:
  static constexpr Key least = std::numeric_limits<Key>::min(),
                       greatest = std::numeric_limits<Key>::max();

  ONEFOLD_DEVICE position_keys(const element_kind& kind, bool falls, bool omits)
      : keys_(kind), truths_(kind.type == dtype::boolean), zeros_(kind.floating ? -1 : 0),
        turned_(falls ? -1 : 0), infinity_(bits(kind.infinity)),
        most_(kind.floating ? 2 * infinity_ : bits(~bits(0))), nan_(omits ? least : greatest) {}
  template <class Raw>
  ONEFOLD_DEVICE Key of(Raw raw) const {
    const Key own = keys_.of(Raw(truths_ ? raw != 0 : raw));
    const Key mine = own - (own >> (8 * sizeof(Key) - 1) & zeros_);  // -0, just below 0, too
    return bits(mine) + infinity_ > most_ ? nan_ : Key(mine ^ turned_);
  }

 private:
  using bits = std::make_unsigned_t<Key>;

  element_keys<Key> keys_;
  bool truths_;
  Key zeros_, turned_;
  bits infinity_, most_;  ///< from -infinity to infinity, of numbers
  Key nan_;
};

class segment_positions : public selection_fold<segment_positions, positions_sum<std::int64_t>> {
 public:
  using sum = positions_sum<std::int64_t>;
  using part = positions_sum<int>;
  using selection_fold::selection_fold;

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_each(part& to, const Each& each) const {
    using key = std::conditional_t<sizeof(Raw) == 8, std::int64_t, std::int32_t>;
    const position_keys<key> keys(kind_, what() == op::argmin, omits());
    const bool whole = !kind_.floating;
    int best_at = to.at;
    key best = best_at == part::none ? keys.least : key(to.key);
    each([&](Raw raw, int at) {
      const key own = keys.of(raw);
      // The least key is above nothing, but of integers it counts.
      const bool better = own > best || (whole && best_at == part::none);
      best = better ? own : best, best_at = better ? at : best_at;
    });
    to.at = best_at;
    if (best_at != part::none) to.key = best;
  }
  ONEFOLD_DEVICE static sum sum_of(const part& of, std::int64_t base) {
    return {of.key, of.at == part::none ? sum::none : base + of.at};
  }
  ONEFOLD_DEVICE unsigned write_rest(const sum& of, std::int64_t, std::int64_t k) const {
    const std::int64_t greatest = kind_.bytes == 8 ? position_keys<std::int64_t>::greatest
                                                   : position_keys<std::int32_t>::greatest;
    if (refuses(kind_.floating && of.key == greatest)) return met_nan;
    if (of.at == sum::none) return segment_is_empty;
    put(k, std::uint64_t(of.at - k * a_.of.length + a_.of.first_index), 8);
    return 0;
  }
};

}  // namespace onefold::cuda
