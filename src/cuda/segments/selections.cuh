// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folds of segments whose element type is known when the kernel runs: extrema, counts, bits. The
// answers are those of the states of detail/extrema.hpp, tally.hpp and bit_fold.hpp.

#include "cuda/parts/element.cuh"
#include "cuda/segments/cut.cuh"

namespace onefold::cuda {

/// What the folds share. Own: add(sum, raw, item), and sum.
template <class Own, class Sum>
class selection_fold {
 public:
  using sum = Sum;
  static constexpr bool is_typed = false;
  static constexpr int digits = 0, most_ends = 128;

  ONEFOLD_DEVICE explicit selection_fold(const segment_arguments& a) : a_(a), kind_(a.kind) {}

  ONEFOLD_DEVICE unsigned bytes() const { return kind_.bytes; }
  ONEFOLD_DEVICE static sum nothing() { return {}; }
  ONEFOLD_DEVICE static void settle(sum&) {}
  ONEFOLD_DEVICE void add_vector(sum& to, const uint4& v, std::int64_t item) const {
    const std::uint64_t low = std::uint64_t(v.y) << 32 | v.x, high = std::uint64_t(v.w) << 32 | v.z;
    const unsigned bits = 8 * kind_.bytes;
    ONEFOLD_ROLLED
    for (unsigned at = 0; at < 128; at += bits, ++item)
      own().add(to, (at < 64 ? low : high) >> at % 64 & ~std::uint64_t(0) >> (64 - bits), item);
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
    if (at == no_index) return;
    const bool first = to_at == no_index, same = !first && key_of(place) == key_of(to);
    if (!first && !same && !beyond) return;
    to_at = same ? min(to_at, at) : at;
    if (first || beyond) to = place;
  }
  ONEFOLD_DEVICE void add(std::int64_t place, std::int64_t at) {
    take(least, least_at, place, at, place < least);
    take(largest, largest_at, place, at, place > largest);
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

template <bool Floating>
class segment_extrema : public selection_fold<segment_extrema<Floating>, extrema_sum<Floating>> {
 public:
  using base = selection_fold<segment_extrema<Floating>, extrema_sum<Floating>>;
  using sum = extrema_sum<Floating>;
  using base::base;

  ONEFOLD_DEVICE void add(sum& to, std::uint64_t raw, std::int64_t item) const {
    if (Floating && any_nan(raw, this->kind_))
      to.nan_at = min(to.nan_at, item);
    else
      to.add(any_place(raw, this->kind_), item);
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

  ONEFOLD_DEVICE void add(tally_sum& to, std::uint64_t raw, std::int64_t) const {
    const std::uint64_t magnitude =
        kind_.floating ? raw & ~std::uint64_t(0) >> (65 - 8 * unsigned(kind_.bytes)) : raw;
    to.nonzeros += magnitude != 0, to.nans += any_nan(raw, kind_);
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

  ONEFOLD_DEVICE void add(bits_sum& to, std::uint64_t raw, std::int64_t) const {
    const std::int64_t bits = integer_of(raw, kind_);
    to.all &= bits, to.any |= bits, to.odd ^= bits;
  }
  ONEFOLD_DEVICE unsigned write(const bits_sum& of, std::int64_t, std::int64_t k) const {
    const auto answer = std::uint64_t(what() == op::bit_and  ? of.all
                                      : what() == op::bit_or ? of.any
                                                             : of.odd);
    put(k, kind_.type == dtype::boolean ? answer & 1 : answer, kind_.bytes);
    return 0;
  }
};

}  // namespace onefold::cuda
