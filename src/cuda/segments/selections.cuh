// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folds of segments whose element type is known when the kernel runs: extrema, counts, bits. The
// answers are those of the states of detail/extrema.hpp, tally.hpp and bit_fold.hpp.

#include <utility>

#include "cuda/parts/element.cuh"
#include "cuda/parts/load.cuh"
#include "cuda/segments/cut.cuh"

namespace onefold::cuda {

/// What the folds share. Own: `part`, what a lane has of a segment in a window;
/// take_each<Raw>(part, each), where each(f) calls f(bits of an element, its place) in rising
/// order; sum_of(part, base).
template <class Own, class Sum>
class selection_fold {
 public:
  using sum = Sum;
  using element = std::uint32_t;  ///< as which the window gives vectors
  static constexpr int digits = 0;

  ONEFOLD_DEVICE explicit selection_fold(const segment_arguments& a) : a_(a), kind_(a.kind) {}

  ONEFOLD_DEVICE unsigned bytes() const { return kind_.bytes; }
  ONEFOLD_DEVICE int items_of(int bytes) const { return bytes >> (__ffs(kind_.bytes) - 1); }
  ONEFOLD_DEVICE static sum nothing() { return {}; }
  ONEFOLD_DEVICE static void settle(sum&) {}
  /// Elements from + first, from + first + step, … of those before `until`.
  template <class Part, class Window>
  ONEFOLD_DEVICE void add_items(Part& to, const Window& window, int from, int until, int first,
                                int step) const {
    by_width([&]<class Raw>(Raw) {
      own().template take_each<Raw>(to, [&](const auto& take) {
        ONEFOLD_UNROLL_BY_4
        for (int i = from + first; i < until; i += step) take(window.template at<Raw>(i), i);
      });
    });
  }
  /// As window.take_stages.
  template <class Part, class Window>
  ONEFOLD_DEVICE int add_stages(Part& to, Window& window, int at, int stop) const {
    by_width([&]<class Raw>(Raw) {
      own().template take_each<Raw>(to, [&](const auto& take) {
        at = window.take_stages(at, stop, [&](const uint4& v, int byte) {
          constexpr int count = int(16 / sizeof(Raw));
          take_all<Raw>(take, v, byte / int(sizeof(Raw)), std::make_integer_sequence<int, count>());
        });
      });
    });
    return at;
  }
  ONEFOLD_DEVICE static void redo(std::int64_t, std::int64_t, std::int64_t, std::int64_t*) {}

 protected:
  ONEFOLD_DEVICE op what() const { return a_.request.what; }
  ONEFOLD_DEVICE bool omits() const { return a_.request.nan == nan_policy::omit; }
  ONEFOLD_DEVICE bool refuses(bool nan) const { return nan && a_.request.nan == nan_policy::error; }
  /// An answer of so many bytes.
  ONEFOLD_DEVICE void put(std::int64_t k, std::uint64_t raw, unsigned width) const {
    switch (width) {
    case 1:
      static_cast<std::uint8_t*>(a_.of.out)[k] = std::uint8_t(raw);
      break;
    case 2:
      static_cast<std::uint16_t*>(a_.of.out)[k] = std::uint16_t(raw);
      break;
    case 4:
      static_cast<std::uint32_t*>(a_.of.out)[k] = std::uint32_t(raw);
      break;
    default:
      static_cast<std::uint64_t*>(a_.of.out)[k] = raw;
    }
  }

  const segment_arguments& a_;
  element_kind kind_;

 private:
  template <class F>
  ONEFOLD_DEVICE void by_width(const F& f) const {
    switch (kind_.bytes) {
    case 1:
      return f(std::uint8_t());
    case 2:
      return f(std::uint16_t());
    case 4:
      return f(std::uint32_t());
    default:
      f(std::uint64_t());
    }
  }
  template <class Raw, class Take, int... I>
  ONEFOLD_DEVICE static void take_all(const Take& take, const uint4& v, int place,
                                      std::integer_sequence<int, I...>) {
    (take(Raw(bits_in<Raw, I>(v)), place + I), ...);
  }
  ONEFOLD_DEVICE const Own& own() const { return static_cast<const Own&>(*this); }
};

inline constexpr std::int64_t no_index = 0x7FFFFFFFFFFFFFFF;

/// The first NaN, and both ends: places in the order of the type, and where the first of their key
/// is. Of floats both zeros have one key: -0 is just before +0.
template <bool Floating>
struct extrema_sum {
  static constexpr int parts = 5;
  std::int64_t nan_at = no_index;
  std::int64_t least = no_index, least_at = no_index;
  std::int64_t largest = ~no_index, largest_at = no_index;

  ONEFOLD_DEVICE static std::int64_t key_of(std::int64_t place) {
    return place + (Floating && place < 0);
  }
  ONEFOLD_DEVICE static void take(std::int64_t& to, std::int64_t& to_at, std::int64_t place,
                                  std::int64_t at, bool beyond) {
    const bool there = at != no_index, first = to_at == no_index;
    const bool same = there && !first && key_of(place) == key_of(to);
    const bool wins = there && (first || beyond);
    to_at = same ? min(to_at, at) : wins ? at : to_at;
    to = wins ? place : to;
  }
  ONEFOLD_DEVICE void join(const extrema_sum& other) {
    nan_at = min(nan_at, other.nan_at);
    take(least, least_at, other.least, other.least_at, other.least < least);
    take(largest, largest_at, other.largest, other.largest_at, other.largest > largest);
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(nan_at), f(least), f(least_at), f(largest), f(largest_at);
  }
};

/// The same of a lane: keys of the element's own width, which rise as the values do, and places in
/// the window. Where no positions are asked for, zeros differ by their signs and places mean
/// nothing.
struct extrema_part {
  static constexpr int none = 0x7FFFFFFF;
  std::int64_t least = no_index, largest = ~no_index;
  int least_at = none, largest_at = none, nan_at = none;
};

template <bool Floating>
class segment_extrema : public selection_fold<segment_extrema<Floating>, extrema_sum<Floating>> {
 public:
  using base = selection_fold<segment_extrema<Floating>, extrema_sum<Floating>>;
  using sum = extrema_sum<Floating>;
  using part = extrema_part;
  using base::base;

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_each(part& to, const Each& each) const {
    positions() ? take_places<Raw>(to, each) : take_values<Raw>(to, each);
  }
  ONEFOLD_DEVICE sum sum_of(const part& of, std::int64_t base_item) const {
    sum made;
    if (of.nan_at != part::none) made.nan_at = base_item + of.nan_at;
    if (of.least_at == part::none) return made;
    made.least = place_of(of.least), made.least_at = base_item + of.least_at;
    made.largest = place_of(of.largest), made.largest_at = base_item + of.largest_at;
    return made;
  }
  ONEFOLD_DEVICE unsigned write(const sum& of, std::int64_t n, std::int64_t k) const {
    const bool nan = of.nan_at != no_index;
    if (this->refuses(nan)) return met_nan;
    const bool is_nan = nan && !this->omits();
    if (n == 0 || (of.least_at == no_index && !is_nan)) {
      if (this->what() != op::norminf) return segment_is_empty;
      this->put(k, 0, Floating ? this->kind_.bytes : 8);
      return 0;
    }
    return put_answer(of, is_nan, k);
  }

 private:
  template <class Key>
  static constexpr Key largest_key = Key(std::make_unsigned_t<Key>(~Key(0)) >> 1);
  template <class Raw>
  using key_of = std::conditional_t<sizeof(Raw) == 8, std::int64_t, std::int32_t>;

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_values(part& to, const Each& each) const {
    using key = key_of<Raw>;
    const bool any = to.least_at != part::none;
    key least = any ? key(to.least) : largest_key<key>;
    key largest = any ? key(to.largest) : ~largest_key<key>;
    bool nans = false, values = false;
    each([&](Raw raw, int) {
      const bool nan = is_nan(raw);
      const key mine = place(raw);
      nans |= nan, values |= !nan;
      least = nan ? least : min(least, mine), largest = nan ? largest : max(largest, mine);
    });
    if (nans) to.nan_at = 0;
    if (values) to.least_at = to.largest_at = 0;
    to.least = least, to.largest = largest;
  }
  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_places(part& to, const Each& each) const {
    using key = key_of<Raw>;
    key least = key(to.least), largest = key(to.largest);
    each([&](Raw raw, int at) {
      const bool nan = is_nan(raw), first = to.least_at == part::none;
      // Both zeros are one value.
      const key own = place(raw), mine = own + (Floating && own < 0);
      const bool below = !nan && (first || mine < least), above = !nan && (first || mine > largest);
      to.nan_at = nan ? min(to.nan_at, at) : to.nan_at;
      least = below ? mine : least, to.least_at = below ? at : to.least_at;
      largest = above ? mine : largest, to.largest_at = above ? at : to.largest_at;
    });
    to.least = least, to.largest = largest;
  }
  template <class Raw>
  ONEFOLD_DEVICE bool is_nan(Raw raw) const {
    return Floating && Raw(raw & Raw(~Raw(0)) >> 1) > Raw(this->kind_.infinity);
  }
  // As any_place; of u32 with the highest bit flipped, to be no longer than the element.
  template <class Raw>
  ONEFOLD_DEVICE key_of<Raw> place(Raw raw) const {
    using key = key_of<Raw>;
    using bits = std::make_unsigned_t<key>;
    constexpr int above = 8 * int(sizeof(key) - sizeof(Raw));
    const key wide = key(bits(raw) << above) >> above;
    if (Floating) return wide ^ (wide >> (8 * sizeof(key) - 1) & largest_key<key> >> above);
    if (sizeof(Raw) == 1 && this->kind_.type == dtype::boolean) return raw != 0;
    if (this->kind_.is_signed) return wide;
    return key(above == 0 ? bits(raw) ^ bits(1) << (8 * sizeof(key) - 1) : bits(raw));
  }
  ONEFOLD_DEVICE bool positions() const {
    return this->what() == op::argmin || this->what() == op::argmax;
  }
  ONEFOLD_DEVICE std::int64_t place_of(std::int64_t key) const {
    if (Floating) return key - (positions() && key < 0);  // take_places made -0 a 0
    const bool moved = this->kind_.type == dtype::u32;
    return moved ? std::int64_t(std::uint32_t(key) ^ 0x80000000) : key;
  }
  ONEFOLD_DEVICE std::uint64_t raw_of(std::int64_t place) const {
    if (Floating) {
      const unsigned above = 65 - 8 * unsigned(this->kind_.bytes);
      return std::uint64_t(place ^ (place >> 63 & std::int64_t(~std::uint64_t(0) >> above)));
    }
    return this->kind_.type == dtype::u64 ? std::uint64_t(place) ^ std::uint64_t(1) << 63
                                          : std::uint64_t(place);
  }
  ONEFOLD_DEVICE std::uint64_t value_of(std::int64_t place, bool is_nan) const {
    const std::uint64_t infinity = this->kind_.infinity;
    return is_nan ? infinity | (infinity & (~infinity + 1)) >> 1 : raw_of(place);
  }
  ONEFOLD_DEVICE unsigned put_answer(const sum& of, bool is_nan, std::int64_t k) const {
    const unsigned bytes = this->kind_.bytes;
    const std::int64_t first = this->a_.of.first_index;
    switch (this->what()) {
    case op::min:
      this->put(k, value_of(of.least, is_nan), bytes);
      return 0;
    case op::max:
      this->put(k, value_of(of.largest, is_nan), bytes);
      return 0;
    case op::minmax:
      this->put(2 * k, value_of(of.least, is_nan), bytes);
      this->put(2 * k + 1, value_of(of.largest, is_nan), bytes);
      return 0;
    case op::argmin:
      this->put(k, std::uint64_t((is_nan ? of.nan_at : of.least_at) + first), 8);
      return 0;
    case op::argmax:
      this->put(k, std::uint64_t((is_nan ? of.nan_at : of.largest_at) + first), 8);
      return 0;
    default:
      return put_norm(of, is_nan, k);
    }
  }
  ONEFOLD_DEVICE unsigned put_norm(const sum& of, bool is_nan, std::int64_t k) const {
    if (Floating) {
      const std::uint64_t sign = std::uint64_t(1) << (8 * this->kind_.bytes - 1);
      const std::uint64_t magnitude =
          max(raw_of(of.least) & (sign - 1), raw_of(of.largest) & (sign - 1));
      this->put(k, is_nan ? value_of(0, true) : magnitude, this->kind_.bytes);
      return 0;
    }
    const bool is_signed = this->kind_.is_signed;
    const std::uint64_t below = raw_of(of.least), above = raw_of(of.largest);
    const std::uint64_t low = is_signed && of.least < 0 ? ~below + 1 : 0;
    const std::uint64_t high = is_signed && of.largest < 0 ? 0 : above;
    const std::uint64_t norm = max(low, high);
    this->put(k, norm, 8);
    return this->a_.request.output == dtype::i64 && norm >> 63 != 0 ? unsigned(sum_does_not_fit)
                                                                    : 0u;
  }
};

struct tally_sum {
  static constexpr int parts = 2;
  std::int64_t nonzeros = 0, nans = 0;

  ONEFOLD_DEVICE void join(const tally_sum& other) {
    nonzeros += other.nonzeros, nans += other.nans;
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(nonzeros), f(nans);
  }
};

class segment_tally : public selection_fold<segment_tally, tally_sum> {
 public:
  using selection_fold::selection_fold;

  struct part {
    int nonzeros = 0, nans = 0;
  };

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_each(part& to, const Each& each) const {
    const Raw kept = kind_.floating ? Raw(~Raw(0)) >> 1 : Raw(~Raw(0));
    const Raw largest = kind_.floating ? Raw(kind_.infinity) : kept;
    each([&](Raw raw, int) {
      const Raw magnitude = raw & kept;
      to.nonzeros += magnitude != 0, to.nans += magnitude > largest;
    });
  }
  ONEFOLD_DEVICE static tally_sum sum_of(const part& of, std::int64_t) {
    return {of.nonzeros, of.nans};
  }
  ONEFOLD_DEVICE unsigned write(const tally_sum& of, std::int64_t n, std::int64_t k) const {
    if (refuses(of.nans > 0)) return met_nan;
    const std::int64_t left_out = omits() ? of.nans : 0;
    const std::int64_t nonzeros = of.nonzeros - left_out;
    switch (what()) {
    case op::any:
      put(k, nonzeros > 0, 1);
      break;
    case op::all:
      put(k, of.nonzeros == n, 1);
      break;
    case op::count:
      put(k, std::uint64_t(n - left_out), 8);
      break;
    default:
      put(k, std::uint64_t(nonzeros), 8);
    }
    return 0;
  }
};

struct bits_sum {
  static constexpr int parts = 3;
  std::int64_t all = -1, any = 0, odd = 0;

  ONEFOLD_DEVICE void join(const bits_sum& other) {
    all &= other.all, any |= other.any, odd ^= other.odd;
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(all), f(any), f(odd);
  }
};

class segment_bits : public selection_fold<segment_bits, bits_sum> {
 public:
  using selection_fold::selection_fold;

  using part = bits_sum;

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_each(part& to, const Each& each) const {
    const bool truths = kind_.type == dtype::boolean;
    each([&](Raw raw, int) {
      const auto bits = std::int64_t(truths ? raw != 0 : raw);
      to.all &= bits, to.any |= bits, to.odd ^= bits;
    });
  }
  ONEFOLD_DEVICE static bits_sum sum_of(const part& of, std::int64_t) { return of; }
  ONEFOLD_DEVICE unsigned write(const bits_sum& of, std::int64_t, std::int64_t k) const {
    const auto answer = std::uint64_t(what() == op::bit_and  ? of.all
                                      : what() == op::bit_or ? of.any
                                                             : of.odd);
    put(k, kind_.type == dtype::boolean ? answer & 1 : answer, kind_.bytes);
    return 0;
  }
};

}  // namespace onefold::cuda
