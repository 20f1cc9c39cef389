// SPDX-License-Identifier: Apache-2.0
// The accumulator of logsumexp: the exact sum of the exponentials E(x), in no order.
//
// E(x) counts in units of exp(512 b), b the band of x. Kept are the exact sums of the highest band
// that was seen and of the next lower one; an element further down is less than exp(-512) of any
// in the highest band, and only counted. An element of the two highest bands is never dropped, as
// no band above them is ever seen: so what is kept does not depend on the order or the cut.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/scaled_pair.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold::detail {

/// An exact sum of exponentials of one band, 2^-370 to 2^370 each, and how many they are.
/// Capacity: fewer than 2^63.
class band_sum {
 public:
  /// Two doubles next to each other hold the sum to 2^-104: an exponential's last bit is 2^-422.
  static constexpr int lsb = -434, limbs = 28;

  ONEFOLD_HOST_DEVICE constexpr void add(double exponential) {
    const auto [digits, unit, negative] = significand_of(exponential);
    digits_.deposit(std::int64_t(digits), unit - lsb);
    ++count_;
  }
  /// Takes one back that was added.
  ONEFOLD_HOST_DEVICE constexpr void remove(double exponential) {
    const auto [digits, unit, negative] = significand_of(exponential);
    digits_.deposit(-std::int64_t(digits), unit - lsb);
    --count_;
  }
  /// For the engines: exponentials that were added elsewhere, as limbs from 2^lsb on, carried.
  ONEFOLD_HOST_DEVICE constexpr void merge(const std::int64_t* sum, std::int64_t count) {
    wide_digits<limbs> part;
    part.read_words([&] { return *sum++; });
    digits_.merge(part);
    count_ += count;
  }

  ONEFOLD_HOST_DEVICE constexpr void merge(const band_sum& other) {
    digits_.merge(other.digits_);
    count_ += other.count_;
  }
  constexpr void subtract(const band_sum& other) {
    digits_.subtract(other.digits_);
    count_ -= other.count_;
  }

  ONEFOLD_HOST_DEVICE constexpr bool empty() const { return count_ == 0; }
  /// Whether no exponential is left: empty, and the sum is 0, as it is unless others were removed
  /// than were added.
  ONEFOLD_HOST_DEVICE constexpr bool cleared() const { return empty() && digits_.is_zero(); }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return count_; }

  /// What value() works in: device code has it in shared memory.
  struct storage {
    magnitude_digits<limbs> sum;
    wide_digits<limbs> rest;
  };
  /// The sum rounded to two doubles: the second one is what the first one lacks, rounded.
  ONEFOLD_HOST_DEVICE constexpr scaled_pair value(storage& in) const {
    digits_.write_magnitude(in.sum);
    const double high = rounded(in.sum);
    in.rest = digits_;
    if (high > 0) {
      const auto [digits, at, negative] = significand_of(high);
      in.rest.deposit(-std::int64_t(digits), at - lsb);
    }
    in.rest.write_magnitude(in.sum);
    const double low = rounded(in.sum);
    return {high, in.sum.below_zero ? -low : low, 0};
  }

  static constexpr int words = limbs + 1;
  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(count_);
    digits_.for_each_word(f);
  }
  template <class F>
  ONEFOLD_HOST_DEVICE constexpr void read_words(F&& next) {
    count_ = next();
    digits_.read_words(next);
  }
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    to[0] = count_;
    digits_.write_additive(to + 1);
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* from) {
    count_ = from[0];
    digits_.read_additive(from + 1);
  }

 private:
  ONEFOLD_HOST_DEVICE static constexpr double rounded(const magnitude_digits<limbs>& sum) {
    return from_bits<double>(round_magnitude<double>(sum.view(), lsb + 32 * sum.first_limb));
  }

  wide_digits<limbs> digits_;
  std::int64_t count_ = 0;
};

/// A band as an integer of the same order, and back. no_band, the least key, is that of a state
/// without finite elements; its band is 0.
inline constexpr std::int64_t no_band = INT64_MIN;
ONEFOLD_HOST_DEVICE constexpr std::int64_t key_of_band(double band) {
  const auto bits = std::int64_t(to_bits(band));
  return bits < 0 ? INT64_MIN - bits : bits;
}
ONEFOLD_HOST_DEVICE constexpr double band_of_key(std::int64_t key) {
  return from_bits<double>(std::uint64_t(key < 0 ? INT64_MIN - key : key));
}

/// A key as words that add: four signed fields of 16 bits, and the sum of their squares.
inline constexpr int band_words = 5;
ONEFOLD_HOST_DEVICE constexpr void write_band(std::int64_t key, std::int64_t* words) {
  words[4] = 0;
  for (int i = 0; i < 4; ++i) {
    words[i] = std::int16_t(std::uint64_t(key) >> (16 * i));
    words[4] += words[i] * words[i];
  }
}
/// Whether all groups that were added have the band of the mean field by field. The sum of squares
/// is that of so many means only then. Precondition: 0 < groups < 2^31.
ONEFOLD_HOST_DEVICE constexpr bool has_one_band(std::int64_t groups, const std::int64_t* words) {
  std::int64_t squares = 0;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t mean = words[i] / groups;
    if (mean != std::int16_t(mean) || mean * groups != words[i]) return false;
    squares += mean * mean;
  }
  return squares * groups == words[4];
}
/// Precondition: has_one_band.
ONEFOLD_HOST_DEVICE constexpr std::int64_t read_band(std::int64_t groups,
                                                     const std::int64_t* words) {
  std::uint64_t key = 0;
  for (int i = 0; i < 4; ++i) key |= std::uint64_t(std::uint16_t(words[i] / groups)) << (16 * i);
  return std::int64_t(key);
}

/// The state of logsumexp, of elements that are floats (f16 and bf16 too) or doubles (integers
/// too). Order: none. Capacity: fewer than 2^63 elements.
template <class T>
class exponential_sum {
 public:
  using bits = typename float_format<T>::bits;
  using storage = band_sum::storage;

  /// Adds one element, as the engines' loops do.
  void add(T x) noexcept;

  /// Adds the elements of another sum.
  ONEFOLD_HOST_DEVICE constexpr void merge(const exponential_sum& other) {
    count_ += other.count_, nans_ += other.nans_;
    infinities_ += other.infinities_, negative_infinities_ += other.negative_infinities_;
    patterns_ += other.patterns_;
    if (other.top_.empty()) return;
    if (top_.empty() || other.band_ > band_) raise(other.band_);
    if (other.band_ == band_)
      top_.merge(other.top_), below_.merge(other.below_);
    else if (is_below(other.band_))
      below_.merge(other.top_);
  }

  /// Removes elements that were added before. Returns false if there are no such elements; the sum
  /// is then undefined. What is left can still be a sum of no elements.
  constexpr bool subtract(const exponential_sum& other) {
    count_ -= other.count_, nans_ -= other.nans_;
    infinities_ -= other.infinities_, negative_infinities_ -= other.negative_infinities_;
    patterns_ -= other.patterns_;
    if (other.top_.empty()) return true;
    if (top_.empty() || other.band_ > band_) return false;
    if (other.band_ == band_)
      top_.subtract(other.top_), below_.subtract(other.below_);
    else if (is_below(other.band_))
      below_.subtract(other.top_);
    leave_cleared_band();
    return true;
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return count_; }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t nan_count() const { return nans_; }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t infinity_count() const { return infinities_; }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t finite_count() const {
    return count_ - nans_ - infinities_ - negative_infinities_;
  }
  /// Finite elements so far below others that they are counted alone.
  ONEFOLD_HOST_DEVICE constexpr std::int64_t dropped() const {
    return finite_count() - top_.count() - below_.count();
  }
  /// Whether all elements of the highest band were removed, after lower ones were dropped: the
  /// logarithm of what is left is not known.
  ONEFOLD_HOST_DEVICE constexpr bool unknown() const { return top_.empty() && dropped() != 0; }

  /// Makes `band` the highest one. Precondition: it is above the present one, or there is none.
  ONEFOLD_HOST_DEVICE constexpr void raise(double band) {
    below_ = !top_.empty() && band - 1 == band_ && has_below(band) ? top_ : band_sum();
    top_ = {};
    band_ = band;
  }
  ONEFOLD_HOST_DEVICE constexpr double band() const { return band_; }
  ONEFOLD_HOST_DEVICE constexpr bool empty() const { return top_.empty(); }
  /// Whether the band below the highest one is kept.
  ONEFOLD_HOST_DEVICE constexpr bool keeps_below() const { return has_below(band_); }

  /// For the engines: counts elements whose exponentials arrive in the sums of the bands.
  /// `patterns`: the sum of the bits of the finite ones.
  ONEFOLD_HOST_DEVICE constexpr void note_elements(std::int64_t count, std::int64_t nans,
                                                   std::int64_t infinities,
                                                   std::int64_t negative_infinities,
                                                   std::uint64_t patterns) {
    count_ += count, nans_ += nans;
    infinities_ += infinities, negative_infinities_ += negative_infinities;
    patterns_ += bits(patterns);
  }
  ONEFOLD_HOST_DEVICE constexpr band_sum& top() { return top_; }
  ONEFOLD_HOST_DEVICE constexpr band_sum& below() { return below_; }
  ONEFOLD_HOST_DEVICE constexpr const band_sum& top() const { return top_; }
  ONEFOLD_HOST_DEVICE constexpr const band_sum& below() const { return below_; }
  /// Precondition: one element is finite.
  ONEFOLD_HOST_DEVICE constexpr T only_element() const { return from_bits<T>(patterns_) + T(0); }

  /// The band as an integer, of the order of the bands; without finite elements the least one.
  ONEFOLD_HOST_DEVICE constexpr std::int64_t band_key() const {
    return top_.empty() ? no_band : key_of_band(band_);
  }

  /// The sum of the exponentials in units of the highest band, as a double-word number; without one
  /// exponential of that band that was added.
  scaled_pair sum(double without = 0) const noexcept;
  /// The logarithm as a double-word number. Precondition: an element is finite, none is +Inf.
  /// Error: docs/numerics/logsumexp.md.
  scaled_pair logarithm() const noexcept;

  /// The logarithm in format Out, rounded once; of one finite element that element, +0 for -0. NaN
  /// if a NaN counts; +Inf if an element is +Inf; -Inf without elements or if all are -Inf.
  template <class Out = T>
  Out value(bool omit_nans = false) const noexcept;

  static constexpr int words = 6 + 2 * band_sum::words;
  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(count_), f(nans_), f(infinities_), f(negative_infinities_);
    f(std::int64_t(patterns_)), f(std::int64_t(to_bits(band_)));
    top_.for_each_word(f), below_.for_each_word(f);
  }
  template <class F>
  ONEFOLD_HOST_DEVICE constexpr void read_words(F&& next) {
    count_ = next(), nans_ = next();
    infinities_ = next(), negative_infinities_ = next();
    patterns_ = bits(next());
    band_ = from_bits<double>(std::uint64_t(next()));
    top_.read_words(next), below_.read_words(next);
  }
  template <class F>
  static constexpr exponential_sum from_words(F&& next) {
    exponential_sum sum;
    sum.read_words(next);
    return sum;
  }

  /// The additive form (docs/numerics/additive.md): of groups of one band. Its key is first.
  static constexpr int pattern_words = sizeof(bits) / 4;
  static constexpr int additive_words = band_words + 4 + pattern_words + 2 * band_sum::words;
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    write_band(key_of_band(band_), to);
    to += band_words;
    to[0] = count_, to[1] = nans_, to[2] = infinities_, to[3] = negative_infinities_;
    for (int i = 0; i < pattern_words; ++i)
      to[4 + i] = std::int64_t(std::uint64_t(patterns_) >> (32 * i) & 0xFFFFFFFF);
    top_.write_additive(to + 4 + pattern_words);
    below_.write_additive(to + 4 + pattern_words + band_sum::words);
  }
  /// Precondition: has_one_band.
  ONEFOLD_HOST_DEVICE constexpr void read_additive(std::int64_t groups, const std::int64_t* from) {
    band_ = band_of_key(read_band(groups, from));
    from += band_words;
    count_ = from[0], nans_ = from[1], infinities_ = from[2], negative_infinities_ = from[3];
    patterns_ = 0;
    for (int i = 0; i < pattern_words; ++i)
      patterns_ += bits(std::uint64_t(from[4 + i]) << (32 * i));
    top_.read_additive(from + 4 + pattern_words);
    below_.read_additive(from + 4 + pattern_words + band_sum::words);
    leave_cleared_band();
  }
  ONEFOLD_HOST_DEVICE static constexpr void negate_additive(std::int64_t* sum) {
    negate_words(sum + band_words, additive_words - band_words);
  }

  friend constexpr bool operator==(const exponential_sum& a, const exponential_sum& b) {
    return same_words(a, b);
  }

 private:
  // Where all of the highest band was removed, the one below it is the highest, unless elements
  // were dropped: they could be of higher bands than it.
  ONEFOLD_HOST_DEVICE constexpr void leave_cleared_band() {
    if (!top_.cleared() || dropped() != 0) return;
    top_ = below_, below_ = {};
    band_ = top_.empty() ? 0 : band_ - 1;
  }
  // Beyond, neighbouring bands are no doubles, and no two elements are so near to each other.
  ONEFOLD_HOST_DEVICE static constexpr bool has_below(double band) {
    return band < 0x1p52 && band > -0x1p52;
  }
  ONEFOLD_HOST_DEVICE constexpr bool is_below(double band) const {
    return band == band_ - 1 && has_below(band_);
  }

  band_sum top_, below_;
  double band_ = 0;
  bits patterns_ = 0;  ///< the sum of the finite elements' bits, modulo 2 to their width
  std::int64_t count_ = 0, nans_ = 0, infinities_ = 0, negative_infinities_ = 0;
};

}  // namespace onefold::detail
