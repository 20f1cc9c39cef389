// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extrema of rows by tiles, and where they are first.
//
// Of positions a lane keeps the vector with the greatest element, and looks for the element in it
// once a row.

#include "cuda/kernels/segments/cut.cuh"
#include "cuda/kernels/segments/rows/float_extrema.cuh"
#include "cuda/kernels/segments/segment_extrema.cuh"
#include "cuda/loaders/packed_rows.cuh"
#include "cuda/primitives/element_lanes.cuh"
#include "cuda/primitives/greater.cuh"
#include "cuda/primitives/pairs.cuh"

namespace onefold::cuda {

/// Both extrema of a lane's elements.
template <class Raw>
class extrema_lane {
 public:
  using order = element_order<Raw, false>;
  using key = typename order::key;

  ONEFOLD_DEVICE explicit extrema_lane(const order& order) : order_(order) {}
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

  /// use(the fold for the elements' type, and what is asked).
  template <class Use>
  ONEFOLD_DEVICE static void choose(const segment_arguments& a, const Use& use) {
    const bool both = !a.kind.floating || a.request.op == op::minmax;
    if constexpr (sizeof(Raw) == 4)
      return both ? use(row_extrema(a)) : use(row_float_extrema<float>(a));
    if constexpr (sizeof(Raw) == 2)
      if (!both)
        return a.kind.type == dtype::f16 ? use(row_float_extrema<f16>(a))
                                         : use(row_float_extrema<bf16>(a));
    use(row_extrema(a));
  }

  ONEFOLD_DEVICE explicit row_extrema(const segment_arguments& a)
      : a_(a), order_(a.kind), keys_(a.kind) {}

  ONEFOLD_DEVICE lane operator()() const { return lane(order_); }
  ONEFOLD_DEVICE void write(const lane& lane, std::int64_t k) const {
    const key least = lane.least(), largest = lane.largest();
    const op op = a_.request.op;
    if (op == op::norminf) {
      segment_extrema<key>(a_).write_rest({least, largest}, a_.block.length, k);
      return;
    }
    const bool nan = keys_.is_nan(least) || keys_.is_nan(largest);
    auto* const out = static_cast<Raw*>(a_.block.out);
    if (op == op::minmax)
      out[2 * k] = value_of(least, nan), out[2 * k + 1] = value_of(largest, nan);
    else
      out[k] = value_of(op == op::min ? least : largest, nan);
  }
  /// take(the answer of a lane); the norm is that of floats.
  template <class Take>
  ONEFOLD_DEVICE void with_answer(const Take& take) const {
    const auto is_nan = [this](const lane& lane) {
      return keys_.is_nan(lane.least()) || keys_.is_nan(lane.largest());
    };
    const op op = a_.request.op;
    if (op == op::min)
      take([&](const lane& lane) { return value_of(lane.least(), is_nan(lane)); });
    else if (op == op::max)
      take([&](const lane& lane) { return value_of(lane.largest(), is_nan(lane)); });
    else if (op == op::minmax)
      take([&](const lane& lane) {
        const bool nan = is_nan(lane);
        return packed_words<Raw, 2>{{value_of(lane.least(), nan), value_of(lane.largest(), nan)}};
      });
    else
      take([&](const lane& lane) {
        constexpr auto magnitude = Raw(Raw(~Raw(0)) >> 1);
        const bool nan = is_nan(lane);
        return Raw(max(value_of(lane.least(), nan) & magnitude,
                       value_of(lane.largest(), nan) & magnitude));
      });
  }

 private:
  // The canonical NaN: the infinity's bits, and the bit after them.
  ONEFOLD_DEVICE Raw value_of(key rank, bool nan) const {
    const std::uint64_t infinity = a_.kind.infinity;
    if (nan) return Raw(infinity | (infinity & (~infinity + 1)) >> 1);
    return sizeof(Raw) == 1 && a_.kind.type == dtype::boolean ? Raw(rank != 0)
                                                              : Raw(keys_.raw_of(rank));
  }

  const segment_arguments& a_;
  element_order<Raw, false> order_;
  element_keys<key> keys_;
};

/// Floats by their keys, which rise with them, or fall where the least is asked for. Both zeros
/// have one key; that of NaNs is the greatest.
template <class T>
class float_ranks {
 public:
  using element = typename detail::float_format<T>::bits;
  using key = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  using value = std::conditional_t<sizeof(T) == 8, double, float>;

  ONEFOLD_DEVICE float_ranks(const element_kind&, bool falls)
      : turned_(element(falls ? detail::float_format<T>::sign_bit : 0)) {}

  ONEFOLD_DEVICE key key_of(element x) const { return key_of(number_of<T>(element(x ^ turned_))); }
  ONEFOLD_DEVICE value value_of(element x) const { return number_of<T>(element(x ^ turned_)); }
  ONEFOLD_DEVICE static bool is_beyond(value a, value b) { return !(a <= b) && b == b; }
  ONEFOLD_DEVICE key greatest_of(element x) const { return key_of(x); }
  ONEFOLD_DEVICE key greatest_of(const word_pair& x) const {
    return key_of(greater(number_of<T>(x.x ^ turned_), number_of<T>(x.y ^ turned_)));
  }
  ONEFOLD_DEVICE key greatest_of(const uint4& x) const {
    if constexpr (sizeof(T) == 2) {
      const std::uint32_t turned = turned_ * 0x00010001u;
      const auto both = [](std::uint32_t a, std::uint32_t b) {
        return greater_halves_or_nan<T>(a, b);
      };
      const std::uint32_t most =
          both(both(x.x ^ turned, x.y ^ turned), both(x.z ^ turned, x.w ^ turned));
      return key_of(greater(number_of<T>(element(most)), number_of<T>(element(most >> 16))));
    } else {
      return key_of(greater(greater(number_of<T>(x.x ^ turned_), number_of<T>(x.y ^ turned_)),
                            greater(number_of<T>(x.z ^ turned_), number_of<T>(x.w ^ turned_))));
    }
  }

 private:
  static constexpr key greatest = std::numeric_limits<key>::max();

  ONEFOLD_DEVICE static float greater(float a, float b) { return greater_or_nan(a, b); }
  ONEFOLD_DEVICE static double greater(double a, double b) { return a > b || a != a ? a : b; }
  ONEFOLD_DEVICE static key key_of(value x) {
    const auto own = __builtin_bit_cast(key, x + value(0));  // -0 + 0 is 0
    return x != x ? greatest : own ^ (own >> (8 * sizeof(key) - 1) & greatest);
  }

  element turned_;
};

/// Integers by theirs.
template <class Raw>
class integer_ranks : public element_order<Raw, true> {
 public:
  using element = Raw;
  using value = typename element_order<Raw, true>::key;
  using element_order<Raw, true>::element_order;

  ONEFOLD_DEVICE value value_of(Raw x) const { return this->key_of(x); }
  ONEFOLD_DEVICE static bool is_beyond(value a, value b) { return a > b; }
};

/// Where the greatest key of a lane's elements is first.
template <class Ranks>
class position_lane {
 public:
  using element = typename Ranks::element;
  using unit = vector_of<element>;

  ONEFOLD_DEVICE explicit position_lane(const Ranks& ranks) : ranks_(ranks) {}
  ONEFOLD_DEVICE position_lane none() const { return position_lane(ranks_); }

  ONEFOLD_DEVICE void add_unit(const unit& x, std::uint32_t item) {
    join(ranks_.greatest_of(x), item, true, x);
  }
  ONEFOLD_DEVICE void add_unit(element x, std::uint32_t item) {
    join(ranks_.key_of(x), item, false, unit_);
  }
  /// Elements in order, of which no vectors or lanes are joined: their keys are not made.
  ONEFOLD_DEVICE void add_first(element x) {
    greatest_ = ranks_.value_of(x);
    at_ = 0;
  }
  ONEFOLD_DEVICE void add_next(element x, std::uint32_t item) {
    const value own = ranks_.value_of(x);
    if (Ranks::is_beyond(own, greatest_)) greatest_ = own, at_ = item;
  }
  ONEFOLD_DEVICE void join(const position_lane& other) {
    join(other.key_, other.at_, other.in_unit_, other.unit_);
  }
  ONEFOLD_DEVICE void fold(int lanes) {
    if (in_unit_) at_ += place_in_unit(in_order());
    ONEFOLD_ROLLED
    for (int mask = 1; mask < lanes; mask *= 2)
      join(__shfl_xor_sync(whole_warp, key_, mask), __shfl_xor_sync(whole_warp, at_, mask), false,
           unit_);
  }
  ONEFOLD_DEVICE std::uint32_t at() const { return at_; }

 private:
  using key = typename Ranks::key;
  using value = typename Ranks::value;
  using in_order = std::make_integer_sequence<int, int(16 / sizeof(element))>;

  ONEFOLD_DEVICE void join(key own, std::uint32_t at, bool in_unit, const unit& x) {
    if (own > key_ || (own == key_ && at < at_))
      key_ = own, at_ = at, in_unit_ = in_unit, unit_ = x;
  }
  template <int... I>
  ONEFOLD_DEVICE std::uint32_t place_in_unit(std::integer_sequence<int, I...>) const {
    constexpr int last = int(sizeof...(I)) - 1;
    std::uint32_t found = 0;
    const auto look = [&](element x, std::uint32_t i) {
      found = ranks_.key_of(x) == key_ ? i : found;
    };
    (look(element(bits_in<element, last - I>(unit_)), last - I), ...);
    return found;
  }

  static constexpr key least = std::numeric_limits<key>::min();

  Ranks ranks_;
  key key_ = least;
  std::uint32_t at_ = std::uint32_t(1) << 31;  // beyond all rows
  bool in_unit_ = false;                       // at_ is the place of the unit's first element
  unit unit_ = {};
  value greatest_{};  // of elements in order
};

/// argmin, argmax. A NaN is the greatest.
template <class Ranks>
class row_positions {
 public:
  using element = typename Ranks::element;
  using lane = position_lane<Ranks>;

  ONEFOLD_DEVICE explicit row_positions(const segment_arguments& a)
      : a_(a), ranks_(a.kind, a.request.op == op::argmin) {}

  ONEFOLD_DEVICE lane operator()() const { return lane(ranks_); }
  ONEFOLD_DEVICE void write(const lane& lane, std::int64_t k) const {
    static_cast<std::int64_t*>(a_.block.out)[k] = a_.block.first_index + lane.at();
  }
  template <class Take>
  ONEFOLD_DEVICE void with_answer(const Take& take) const {
    take([this](const lane& lane) { return a_.block.first_index + lane.at(); });
  }

 private:
  const segment_arguments& a_;
  Ranks ranks_;
};

}  // namespace onefold::cuda
