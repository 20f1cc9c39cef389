// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extrema of segments where no position is asked for.

#include "cuda/kernels/segments/selection_fold.cuh"

namespace onefold::cuda {

/// Both ends, as keys: integers that rise with the elements. NaNs lie beyond the infinities, and
/// -0 just before +0. Of nothing the least is above the largest.
template <class Key>
struct ends_sum {
  static constexpr int parts = 2;
  Key least = Key(std::make_unsigned_t<Key>(~Key(0)) >> 1), largest = ~least;

  ONEFOLD_DEVICE void add(Key key) { least = min(least, key), largest = max(largest, key); }
  ONEFOLD_DEVICE void join(const ends_sum& other) {
    least = min(least, other.least), largest = max(largest, other.largest);
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(least), f(largest);
  }
};

/// How keys are made from the bits of elements: narrow integers are their own, of floats all bits
/// but the sign are flipped below zero; what fills the key without a sign has its top bit flipped.
template <class Key>
class element_keys {
 public:
  ONEFOLD_DEVICE explicit element_keys(const element_kind& kind) {
    const unsigned above = 8 * unsigned(sizeof(Key) - kind.bytes);
    const Key all = ~Key(0), top = Key(bits(1) << (8 * sizeof(Key) - 1));
    const bool has_sign = kind.is_signed || kind.floating;
    sign_ = above == 0 ? (has_sign ? 0 : top) : has_sign ? Key(bits(top) >> above) : 0;
    flipped_ = kind.floating ? Key(bits(all ^ top) >> above) : 0;
    infinity_ = kind.floating ? Key(kind.infinity) : Key(all ^ top);
  }
  template <class Raw>
  ONEFOLD_DEVICE Key key_of(Raw raw) const {
    // Flipped and subtracted, the sign of a narrow element goes on to the left.
    const Key wide =
        sizeof(Raw) == sizeof(Key) ? Key(raw) ^ sign_ : Key((bits(raw) ^ sign_) - sign_);
    return wide ^ (wide >> (8 * sizeof(Key) - 1) & flipped_);
  }
  ONEFOLD_DEVICE std::uint64_t raw_of(Key key) const {
    return bits(key ^ (key >> (8 * sizeof(Key) - 1) & flipped_)) ^ (is_moved() ? bits(sign_) : 0);
  }
  ONEFOLD_DEVICE bool is_nan(Key key) const { return key > infinity_ || key < ~infinity_; }

 private:
  using bits = std::make_unsigned_t<Key>;

  ONEFOLD_DEVICE bool is_moved() const { return sign_ == Key(bits(1) << (8 * sizeof(Key) - 1)); }

  Key sign_, flipped_, infinity_;
};

/// min, max, minmax, norminf. Keys have 32 bits, or 64 for elements that are as wide.
template <class Key>
class segment_extrema : public selection_fold<segment_extrema<Key>, ends_sum<std::int64_t>,
                                              sizeof(Key) == 8 ? 8 : 1, int(sizeof(Key))> {
 public:
  using base = selection_fold<segment_extrema, ends_sum<std::int64_t>, sizeof(Key) == 8 ? 8 : 1,
                              sizeof(Key)>;
  using sum = ends_sum<std::int64_t>;
  using part = ends_sum<Key>;

  ONEFOLD_DEVICE explicit segment_extrema(const segment_arguments& a) : base(a), keys_(a.kind) {}

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_each(part& to, const Each& each) const {
    if (this->omits())
      each([&](Raw raw, int) {
        const Key key = keys_.key_of(raw);
        if (!keys_.is_nan(key)) to.add(key);
      });
    else
      each([&](Raw raw, int) { to.add(keys_.key_of(raw)); });
  }
  ONEFOLD_DEVICE static sum sum_of(const part& part, std::int64_t) {
    return {part.least, part.largest};
  }
  ONEFOLD_DEVICE unsigned write_rest(const sum& sum, std::int64_t, std::int64_t k) const {
    const bool none = sum.least > sum.largest;
    const bool nan = !none && (keys_.is_nan(Key(sum.least)) || keys_.is_nan(Key(sum.largest)));
    if (this->refuses(nan)) return met_nan;
    if (this->operation() == op::norminf) return put_norm(sum, none, nan, k);
    if (none) return segment_is_empty;
    const unsigned bytes = this->kind_.bytes;
    const bool both = this->operation() == op::minmax;
    if (this->operation() != op::max) this->put(both ? 2 * k : k, value_of(sum.least, nan), bytes);
    if (this->operation() != op::min)
      this->put(both ? 2 * k + 1 : k, value_of(sum.largest, nan), bytes);
    return 0;
  }

 private:
  ONEFOLD_DEVICE std::uint64_t value_of(std::int64_t key, bool is_nan) const {
    const std::uint64_t infinity = this->kind_.infinity;
    if (is_nan) return infinity | (infinity & (~infinity + 1)) >> 1;
    return this->kind_.type == dtype::boolean ? key != 0 : keys_.raw_of(Key(key));
  }
  ONEFOLD_DEVICE unsigned put_norm(const sum& sum, bool none, bool nan, std::int64_t k) const {
    if (this->kind_.floating) {
      const std::uint64_t magnitude = (std::uint64_t(1) << (8 * this->kind_.bytes - 1)) - 1;
      const std::uint64_t norm =
          max(value_of(sum.least, nan) & magnitude, value_of(sum.largest, nan) & magnitude);
      this->put(k, none ? 0 : norm, this->kind_.bytes);
      return 0;
    }
    const bool is_signed = this->kind_.is_signed;
    const std::uint64_t below = is_signed && sum.least < 0 ? 0 - std::uint64_t(sum.least) : 0;
    const std::uint64_t above = is_signed && sum.largest < 0 ? 0 : value_of(sum.largest, false);
    const std::uint64_t norm = none ? 0 : max(below, above);
    this->put(k, norm, 8);
    return this->a_.request.output == dtype::i64 && norm >> 63 != 0 ? unsigned(sum_does_not_fit)
                                                                    : 0u;
  }

  element_keys<Key> keys_;
};

}  // namespace onefold::cuda
