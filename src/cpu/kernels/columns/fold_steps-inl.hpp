// SPDX-License-Identifier: Apache-2.0
// The steps of folds, compiled for each SIMD target: a lane is an answer, and a step adds one
// element to each of a vector of them.
//
// An extremum is the largest key: a signed integer of the element's size in the element's order, or
// in the reverse order for a minimum. The key of a NaN is the largest of all, in both orders, and
// no number has it. Where positions are asked for, zeros of either sign have one key. What an
// operator and the sign of integers change of a key are bits, `flip`: one loop serves them all.
#if defined(ONEFOLD_CPU_FOLD_STEPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_FOLD_STEPS_INL
#undef ONEFOLD_CPU_FOLD_STEPS_INL
#else
#define ONEFOLD_CPU_FOLD_STEPS_INL
#endif

#include <algorithm>
#include <limits>
#include <type_traits>

#include "cpu/kernels/extrema-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t Size>
using signed_lane = std::conditional_t<
    Size == 1, std::int8_t,
    std::conditional_t<Size == 2, std::int16_t,
                       std::conditional_t<Size == 4, std::int32_t, std::int64_t>>>;

// The lanes that hold elements of type T, as integers.
template <class T>
struct element_lanes {
  using lane = signed_lane<sizeof(T)>;
  using tag = lane_tag<lane>;
  using vector = hn::Vec<tag>;
  static constexpr bool floating = !std::is_integral_v<T>;
  static constexpr bool gives_bool = false;  // of the answer: a lane is zero or not
  static constexpr lane most = std::numeric_limits<lane>::max();
  static constexpr lane least = std::numeric_limits<lane>::min();

  static constexpr lane infinity() {
    if constexpr (floating) return lane(detail::float_format<T>::infinity);
    return most;
  }
  // Without the sign of a float; any true byte is 1.
  static HWY_INLINE vector magnitude(vector x) {
    if constexpr (floating) x = hn::And(x, hn::Set(tag(), most));
    if constexpr (std::is_same_v<T, bool>) {
      const hn::RebindToUnsigned<tag> du;
      x = hn::BitCast(tag(), hn::Min(hn::BitCast(du, x), hn::Set(du, std::uint8_t(1))));
    }
    return x;
  }
};

// Signed integers for all of their size.
template <class T, bool OneZero>
struct order_key : element_lanes<T> {
  using lanes = element_lanes<T>;
  using typename lanes::lane;
  using typename lanes::tag;
  using typename lanes::vector;
  vector flip;

  explicit HWY_INLINE order_key(std::int64_t bits) : flip(hn::Set(tag(), lane(bits))) {}
  HWY_INLINE vector key_of(vector x) const {
    const tag d;
    if constexpr (lanes::floating) {
      const auto nan = hn::Gt(lanes::magnitude(x), hn::Set(d, lanes::infinity()));
      auto place = float_place(d, x);
      if (OneZero) place = hn::IfThenZeroElse(hn::Eq(place, hn::Set(d, lane(-1))), place);
      return hn::IfThenElse(nan, hn::Set(d, lanes::most), hn::Xor(place, flip));
    } else {
      return hn::Xor(lanes::magnitude(x), flip);
    }
  }
  // The element; precondition: !OneZero.
  HWY_INLINE vector back(vector key) const {
    const tag d;
    const auto place = hn::Xor(key, flip);
    if constexpr (lanes::floating)
      return hn::IfThenElse(hn::Eq(key, hn::Set(d, lanes::most)),
                            hn::Set(d, lane(detail::float_format<T>::quiet_nan)),
                            float_place(d, place));
    else
      return place;
  }
};

// For norminf: floats only.
template <class T>
struct magnitude_key : element_lanes<T> {
  using lanes = element_lanes<T>;
  using typename lanes::lane;
  using typename lanes::tag;
  using typename lanes::vector;

  explicit HWY_INLINE magnitude_key(std::int64_t) {}
  HWY_INLINE vector key_of(vector x) const {
    const tag d;
    const auto magnitude = lanes::magnitude(x);
    const auto nan = hn::Gt(magnitude, hn::Set(d, lanes::infinity()));
    return hn::IfThenElse(nan, hn::Set(d, lanes::most), magnitude);
  }
  HWY_INLINE vector back(vector key) const {
    const tag d;
    return hn::IfThenElse(hn::Eq(key, hn::Set(d, lanes::most)),
                          hn::Set(d, lane(detail::float_format<T>::quiet_nan)), key);
  }
};

// A fold of one vector of columns. take(x, row) adds a row; rows count from begin(), at most
// most_rows of them.

// The largest key; its element is the answer.
template <class Key>
struct largest_fold : Key {
  using typename Key::lane;
  using typename Key::tag;
  using typename Key::vector;
  static constexpr std::int64_t most_rows = std::int64_t(1) << 62;
  vector best;

  explicit HWY_INLINE largest_fold(std::int64_t flip) : Key(flip) {}
  HWY_INLINE void begin(vector x) { best = Key::key_of(x); }
  HWY_INLINE void take(vector x, std::int64_t) { best = hn::Max(best, Key::key_of(x)); }
  HWY_INLINE void read(const lane* from, std::int64_t) { best = hn::Load(tag(), from); }
  HWY_INLINE void write(lane* to, std::int64_t) const { hn::Store(best, tag(), to); }
  HWY_INLINE vector answer_of(vector folded) const { return Key::back(folded); }
};

// The largest key and the first row that has it.
template <class Key>
struct position_fold : Key {
  using typename Key::lane;
  using typename Key::tag;
  using typename Key::vector;
  static constexpr std::int64_t most_rows = std::min<std::int64_t>(Key::most, 1 << 14) / 8 * 8;
  vector best, at;

  explicit HWY_INLINE position_fold(std::int64_t flip) : Key(flip) {}
  HWY_INLINE void begin(vector x) { best = Key::key_of(x), at = hn::Zero(tag()); }
  HWY_INLINE void take(vector x, std::int64_t row) {
    const vector key = Key::key_of(x);
    const auto above = hn::Gt(key, best);
    best = hn::IfThenElse(above, key, best);
    at = hn::IfThenElse(above, hn::Set(tag(), lane(row)), at);
  }
  HWY_INLINE void read(const lane* from, std::int64_t apart) {
    best = hn::Load(tag(), from), at = hn::Load(tag(), from + apart);
  }
  HWY_INLINE void write(lane* to, std::int64_t apart) const {
    hn::Store(best, tag(), to), hn::Store(at, tag(), to + apart);
  }
};

// How many elements are not zero.
template <class T>
struct nonzero_fold : element_lanes<T> {
  using lanes = element_lanes<T>;
  using typename lanes::lane;
  using typename lanes::tag;
  using typename lanes::vector;
  static constexpr std::int64_t most_rows = std::min<std::int64_t>(lanes::most, 1 << 14) / 8 * 8;
  vector count;

  explicit HWY_INLINE nonzero_fold(std::int64_t) {}
  HWY_INLINE void begin(vector x) { count = hn::Zero(tag()), take(x, 0); }
  HWY_INLINE void take(vector x, std::int64_t) {
    const auto one = hn::Set(tag(), lane(1));
    const auto zero = hn::Eq(lanes::magnitude(x), hn::Zero(tag()));
    count = hn::Add(count, hn::IfThenZeroElse(zero, one));
  }
  HWY_INLINE void read(const lane* from, std::int64_t) { count = hn::Load(tag(), from); }
  HWY_INLINE void write(lane* to, std::int64_t) const { hn::Store(count, tag(), to); }
};

// Bits; or, of bool answers, whether all or any elements are not zero: a lane that is zero or not.
enum class bit_operator { conjunction, disjunction, difference };
template <class T, bit_operator Of, class Answer>
struct bits_fold : element_lanes<T> {
  using lanes = element_lanes<T>;
  using typename lanes::lane;
  using typename lanes::tag;
  using typename lanes::vector;
  static constexpr std::int64_t most_rows = std::int64_t(1) << 62;
  static constexpr bool gives_bool = std::is_same_v<Answer, bool>;
  vector bits;

  explicit HWY_INLINE bits_fold(std::int64_t) {}
  static HWY_INLINE vector bits_of(vector x) {
    x = lanes::magnitude(x);
    if constexpr (gives_bool && Of == bit_operator::conjunction)
      return hn::VecFromMask(tag(), hn::Ne(x, hn::Zero(tag())));
    return x;
  }
  HWY_INLINE void begin(vector x) { bits = bits_of(x); }
  HWY_INLINE void take(vector x, std::int64_t) {
    const vector more = bits_of(x);
    bits = Of == bit_operator::conjunction   ? hn::And(bits, more)
           : Of == bit_operator::disjunction ? hn::Or(bits, more)
                                             : hn::Xor(bits, more);
  }
  HWY_INLINE void read(const lane* from, std::int64_t) { bits = hn::Load(tag(), from); }
  HWY_INLINE void write(lane* to, std::int64_t) const { hn::Store(bits, tag(), to); }
  HWY_INLINE vector answer_of(vector folded) const { return folded; }
};

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
