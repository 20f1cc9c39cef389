// SPDX-License-Identifier: Apache-2.0
#pragma once
// ArgMin and ArgMax of segments: the smallest index of the least or greatest element, and of NaNs
// the first NaN unless they are omitted.

#include <limits>

#include "cuda/kernels/segments/segment_extrema.cuh"
#include "cuda/primitives/greater.cuh"

namespace onefold::cuda {

/// The greatest key and the smallest place where it is: an index, or of a lane one in its window.
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

/// Signed integer keys in the order of the elements, or for ArgMin in the opposite order. Both
/// zeros have one key. NaNs have the greatest key, which no number has; omitted NaNs the least.
template <class Key>
class position_keys {
 public:
  static constexpr Key least = std::numeric_limits<Key>::min(),
                       greatest = std::numeric_limits<Key>::max();

  ONEFOLD_DEVICE position_keys(const element_kind& kind, bool falls, bool omits)
      : keys_(kind), bool_bytes_(kind.type == dtype::boolean), zeros_(kind.floating ? -1 : 0),
        turned_(falls ? -1 : 0), infinity_(bits(kind.infinity)),
        most_(kind.floating ? 2 * infinity_ : bits(~bits(0))), nan_(omits ? least : greatest) {}
  template <class Raw>
  ONEFOLD_DEVICE Key key_of(Raw raw) const {
    const Key own = keys_.key_of(Raw(bool_bytes_ ? raw != 0 : raw));
    const Key key = one_zero(own);
    return bits(key) + infinity_ > most_ ? nan_ : Key(key ^ turned_);
  }
  /// 1, or -1 where the least is asked for; it costs no integer unit's time.
  ONEFOLD_DEVICE float direction() const { return turned_ != 0 ? -1.0f : 1.0f; }
  ONEFOLD_DEVICE bool takes_floats() const { return zeros_ != 0; }
  ONEFOLD_DEVICE Key of_float(float most) const {
    return key_of(__builtin_bit_cast(std::uint32_t, most * direction()));
  }
  /// The greatest, or a NaN, of elements times direction(): where the least is asked for, of their
  /// opposites.
  template <class Raw, int N>
  ONEFOLD_DEVICE float greatest_float(const Raw (&raw)[N]) const {
    float most = __builtin_bit_cast(float, raw[0]) * direction();
    ONEFOLD_UNROLL
    for (int i = 1; i < N; ++i)
      most = greater_or_nan(most, __builtin_bit_cast(float, raw[i]) * direction());
    return most;
  }
  /// The greatest key. Both ends show whether there are NaNs, which are rare, and serve either
  /// direction.
  template <class Raw, int N>
  ONEFOLD_DEVICE Key greatest_of(const Raw (&raw)[N]) const {
    if constexpr (sizeof(Raw) == 4) {
      if (zeros_ != 0) {
        const float most = greatest_float(raw);
        return most != most ? greatest_of_any(raw) : of_float(most);
      }
    }
    Key low = greatest, high = least;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      const Key own = keys_.key_of(raw[i]);
      low = min(low, own), high = max(high, own);
    }
    if (bool_bytes_ || !is_number(low) || !is_number(high)) return greatest_of_any(raw);
    return turned_ != 0 ? Key(~one_zero(low)) : one_zero(high);
  }

 private:
  using bits = std::make_unsigned_t<Key>;

  // -0 is just below 0.
  ONEFOLD_DEVICE Key one_zero(Key own) const {
    return own - (own >> (8 * sizeof(Key) - 1) & zeros_);
  }
  ONEFOLD_DEVICE bool is_number(Key own) const { return bits(one_zero(own)) + infinity_ <= most_; }
  template <class Raw, int N>
  ONEFOLD_DEVICE Key greatest_of_any(const Raw (&raw)[N]) const {
    Key most = least;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) most = max(most, key_of(raw[i]));
    return most;
  }

  element_keys<Key> keys_;
  bool bool_bytes_;
  Key zeros_, turned_;
  bits infinity_, most_;  ///< from -infinity to infinity, of numbers
  Key nan_;
};

class segment_positions : public selection_fold<segment_positions, positions_sum<std::int64_t>> {
 public:
  using sum = positions_sum<std::int64_t>;
  using part = positions_sum<int>;
  using selection_fold::selection_fold;
  static constexpr bool looks_again = true;

  template <class Raw>
  using key_of = std::conditional_t<sizeof(Raw) == 8, std::int64_t, std::int32_t>;

  /// Which of the batches offered first has the greatest key, so that only its elements are
  /// looked at one by one.
  template <class Raw>
  class best_batch {
   public:
    ONEFOLD_DEVICE explicit best_batch(const segment_positions& positions)
        : keys_(positions.keys<Raw>()) {}
    /// Whether it is the best so far.
    template <int N>
    ONEFOLD_DEVICE bool offer(const Raw (&raw)[N]) {
      const key_of<Raw> own = keys_.greatest_of(raw);
      const bool better = own > key_ || none_;
      key_ = better ? own : key_, none_ = false;
      return better;
    }

   private:
    position_keys<key_of<Raw>> keys_;
    key_of<Raw> key_ = position_keys<key_of<Raw>>::least;
    bool none_ = true;
  };

  /// Vectors of f32 `apart` from place `at` on, which are in order; false, and nothing is taken,
  /// where there are NaNs. Precondition: nothing has been taken.
  template <int N>
  ONEFOLD_DEVICE bool take_floats(part& to, const uint4 (&vectors)[N], int at, int apart) const {
    const position_keys<std::int32_t> keys = this->keys<std::uint32_t>();
    if (!keys.takes_floats()) return false;
    float most[N], all = 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      const std::uint32_t raw[] = {vectors[i].x, vectors[i].y, vectors[i].z, vectors[i].w};
      most[i] = keys.greatest_float(raw);
      all = i == 0 ? most[0] : greater_or_nan(all, most[i]);
    }
    if (all != all) return false;
    uint4 best = vectors[N - 1];
    int place = at + (N - 1) * apart;
    ONEFOLD_UNROLL
    for (int i = N - 2; i >= 0; --i) {
      const bool here = most[i] == all;
      best.x = here ? vectors[i].x : best.x, best.y = here ? vectors[i].y : best.y;
      best.z = here ? vectors[i].z : best.z, place = here ? at + i * apart : place;
    }
    const float value = all * keys.direction();
    place += __builtin_bit_cast(float, best.x) == value   ? 0
             : __builtin_bit_cast(float, best.y) == value ? 1
             : __builtin_bit_cast(float, best.z) == value ? 2
                                                          : 3;
    to.key = keys.of_float(all), to.at = place;
    return true;
  }

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_each(part& to, const Each& each) const {
    using key = key_of<Raw>;
    const position_keys<key> keys = this->keys<Raw>();
    const bool whole = !kind_.floating;
    int best_at = to.at;
    key best = best_at == part::none ? keys.least : key(to.key);
    each([&](Raw raw, int at) {
      const key own = keys.key_of(raw);
      // The least key is above nothing, but of integers it counts.
      const bool better = own > best || (whole && best_at == part::none);
      best = better ? own : best, best_at = better ? at : best_at;
    });
    to.at = best_at;
    if (best_at != part::none) to.key = best;
  }
  ONEFOLD_DEVICE static sum sum_of(const part& lane_part, std::int64_t base) {
    return {lane_part.key, lane_part.at == part::none ? sum::none : base + lane_part.at};
  }
  ONEFOLD_DEVICE unsigned write_rest(const sum& other, std::int64_t, std::int64_t k) const {
    const std::int64_t greatest = kind_.bytes == 8 ? position_keys<std::int64_t>::greatest
                                                   : position_keys<std::int32_t>::greatest;
    if (refuses(kind_.floating && other.key == greatest)) return met_nan;
    if (other.at == sum::none) return segment_is_empty;
    put(k, std::uint64_t(other.at - k * a_.block.length + a_.block.first_index), 8);
    return 0;
  }

 private:
  template <class Raw>
  ONEFOLD_DEVICE position_keys<key_of<Raw>> keys() const {
    return {kind_, operation() == op::argmin, omits()};
  }
};

}  // namespace onefold::cuda
