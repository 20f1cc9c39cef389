// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extrema of rows by tiles, where no position is asked for.

#include "cuda/parts/element_lanes.cuh"
#include "cuda/segments/extrema.cuh"

namespace onefold::cuda {

/// Both extrema of a lane's elements.
template <class Raw>
class extrema_lane {
 public:
  using order = element_order<Raw, false>;
  using key = typename order::key;

  ONEFOLD_DEVICE explicit extrema_lane(const order& of) : order_(of) {}
  ONEFOLD_DEVICE extrema_lane none() const { return extrema_lane(order_); }

  template <class Unit>
  ONEFOLD_DEVICE void add_unit(const Unit& x, std::uint32_t) {
    order_.for_each_word(x, [this](auto own) { join(own, own); });
  }
  ONEFOLD_DEVICE void join(const extrema_lane& other) { join(other.least_, other.largest_); }
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int mask = 1; mask < lanes; mask *= 2)
      join(__shfl_xor_sync(whole_warp, least_, mask), __shfl_xor_sync(whole_warp, largest_, mask));
  }
  /// As element_keys has them.
  ONEFOLD_DEVICE key least() const { return order_.plain(order::lower(least_)); }
  ONEFOLD_DEVICE key largest() const { return order_.plain(order::higher(largest_)); }

 private:
  using word = typename order::word;

  ONEFOLD_DEVICE void join(word low, word high) {
    least_ = order::lesser(least_, low), largest_ = order::greater(largest_, high);
  }

  order order_;
  word least_ = order::greatest, largest_ = order::least;
};

/// min, max, minmax, norminf. NaNs propagate.
template <class Raw>
class row_extrema {
 public:
  using element = Raw;
  using lane = extrema_lane<Raw>;
  using key = typename lane::key;

  ONEFOLD_DEVICE explicit row_extrema(const segment_arguments& a)
      : a_(a), order_(a.kind), keys_(a.kind) {}

  ONEFOLD_DEVICE lane operator()() const { return lane(order_); }
  ONEFOLD_DEVICE void write(const lane& of, std::int64_t k) const {
    const key least = of.least(), largest = of.largest();
    const op what = a_.request.what;
    if (what == op::norminf) {
      segment_extrema<key>(a_).write_rest({least, largest}, a_.of.length, k);
      return;
    }
    const bool nan = keys_.is_nan(least) || keys_.is_nan(largest);
    auto* const out = static_cast<Raw*>(a_.of.out);
    if (what == op::minmax)
      out[2 * k] = value_of(least, nan), out[2 * k + 1] = value_of(largest, nan);
    else
      out[k] = value_of(what == op::min ? least : largest, nan);
  }

 private:
  // The canonical NaN: the infinity's bits, and the bit after them.
  ONEFOLD_DEVICE Raw value_of(key of, bool nan) const {
    const std::uint64_t infinity = a_.kind.infinity;
    if (nan) return Raw(infinity | (infinity & (~infinity + 1)) >> 1);
    return a_.kind.type == dtype::boolean ? Raw(of != 0) : Raw(keys_.raw_of(of));
  }

  const segment_arguments& a_;
  element_order<Raw, false> order_;
  element_keys<key> keys_;
};

}  // namespace onefold::cuda
