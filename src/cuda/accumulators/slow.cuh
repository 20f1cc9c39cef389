// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fallback of an exact sum: any elements at all, read one by one, into the digits of a warp.

#include "cuda/accumulators/terms.cuh"
#include "cuda/primitives/array_parts.cuh"

namespace onefold::cuda {

/// A finite double as significand * 2^exponent, 1 <= |significand| < 2 or zero.
struct scaled_double {
  double significand;
  int exponent;

  ONEFOLD_DEVICE explicit scaled_double(double x) : significand(x), exponent(0) {
    if (x == 0) return;
    const bool subnormal = (high_word(x) & 0x7FF00000) == 0;
    if (subnormal) x *= 0x1p54;
    exponent = int(high_word(x) >> 20 & 0x7FF) - 1023 - (subnormal ? 54 : 0);
    const auto bits = __builtin_bit_cast(std::uint64_t, x);
    significand =
        __builtin_bit_cast(double, (bits & 0x800FFFFFFFFFFFFFull) | std::uint64_t(1023) << 52);
  }
};

/// Terms of one chunk as add_by_windows takes them: times 2^-scale, in as many classes as keep
/// every term of this class below 2^1000 and every error of a product a double.
template <accumulator Accumulator, class T>
struct scaled_terms {
  using traits = terms<Accumulator, T>;
  using bits = typename traits::bits;
  static constexpr int items = traits::has_errors ? chunk_terms / 2 : chunk_terms;
  static constexpr bool large = std::is_same_v<T, double>;
  static constexpr int classes = traits::has_errors ? 3 : large ? 2 : 1;

  ONEFOLD_DEVICE static int scale(int which) {
    if (traits::has_errors) return which == 0 ? 0 : which == 1 ? 1100 : -1400;
    return which == 0 ? 0 : 200;
  }

  ONEFOLD_DEVICE static void write(const bits (&a)[items], const bits (&b)[items], int which,
                                   double (&v)[chunk_terms]) {
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) {
      if constexpr (traits::has_errors)
        write_product(a[i], b[i], which, v[2 * i], v[2 * i + 1]);
      else if constexpr (large)
        v[i] = term_of_class(traits::term(a[i], b[i]), which);
      else
        v[i] = traits::term(a[i], b[i]);
    }
  }

 private:
  ONEFOLD_DEVICE static double term_of_class(double x, int which) {
    const bool huge = (high_word(x) & 0x7FFFFFFF) >= (1023 + 900) << 20;
    return huge != (which == 1) ? 0 : huge ? x * 0x1p-200 : x;
  }

  ONEFOLD_DEVICE static void write_product(bits a, bits b, int which, double& product,
                                           double& error) {
    const scaled_double x(detail::from_bits<T>(a)), y(detail::from_bits<T>(b));
    const int exponent = x.exponent + y.exponent;
    const int found = exponent > 800 ? 1 : exponent < -800 ? 2 : 0;
    const int power = found == which ? exponent - scale(which) : 0;  // within -800 … 946
    const double unit = __builtin_bit_cast(double, std::uint64_t(power + 1023) << 52);
    const double p = x.significand * y.significand;
    const double e = fma(x.significand, y.significand, -p);
    product = found == which ? p * unit : 0;
    error = found == which ? e * unit : 0;
  }
};

/// What a warp knows of elements that it reads one by one.
template <accumulator Accumulator, class T>
class exact_fallback {
 public:
  using traits = terms<Accumulator, T>;
  using digits = warp_digits<traits::limbs, traits::words>;
  using bits = typename traits::bits;
  using chunk = scaled_terms<Accumulator, T>;
  static constexpr unsigned step = chunk::items * warp_lanes;
  static constexpr int per_lane = chunk::items;

  ONEFOLD_DEVICE exact_fallback(const T* x, const T* y, std::int64_t* words)
      : x_(x), y_(y), lane_(lane_index()), digits_(words) {}

  /// Adds the elements of a range. Returns the number of windows.
  template <class Range>
  ONEFOLD_DEVICE int add(const Range& range) const {
    int windows = 0;
    ONEFOLD_ROLLED
    for (std::int64_t base = 0; base < range.count; base += step) {
      bits a[per_lane], b[per_lane];
      load(range, base, a, b);
      windows += add_loaded(a, b);
    }
    return windows;
  }

  /// Adds each lane's elements, which it changes. Returns the number of windows.
  ONEFOLD_DEVICE int add_loaded(bits (&a)[per_lane], bits (&b)[per_lane]) const {
    take_out_specials(a, b);
    int windows = 0;
    ONEFOLD_ROLLED
    for (int which = 0; which < chunk::classes; ++which) {
      double v[chunk_terms];
      chunk::write(a, b, which, v);
      windows += add_by_windows<traits::lsb>(v, chunk::scale(which), digits_);
    }
    return windows;
  }

  /// Whether a range shows that not all terms are -0.
  ONEFOLD_DEVICE bool has_other(const element_range& range) const {
    ONEFOLD_ROLLED
    for (std::int64_t base = 0; base < range.count; base += step) {
      bits a[per_lane], b[per_lane];
      load(range, base, a, b);
      bool other = false;
      ONEFOLD_UNROLL
      for (int i = 0; i < per_lane; ++i) other |= traits::is_other(a[i], b[i]);
      if (any_lane(other)) return true;
    }
    return false;
  }

  /// The largest magnitude_key of the terms of a range.
  ONEFOLD_DEVICE std::uint32_t largest_key(const element_range& range) const {
    std::uint32_t key = 0;
    ONEFOLD_ROLLED
    for (std::int64_t base = 0; base < range.count; base += step) {
      bits a[per_lane], b[per_lane];
      load(range, base, a, b);
      ONEFOLD_UNROLL
      for (int i = 0; i < per_lane; ++i) key = max(key, magnitude_key(traits::term(a[i], b[i])));
    }
    return warp_max(key);
  }

  /// Whether no error of a product underflows. A small product has a whole one if it is of a zero.
  ONEFOLD_DEVICE bool errors_are_whole(const element_range& range) const {
    bool whole = true;
    ONEFOLD_ROLLED
    for (std::int64_t base = 0; base < range.count; base += step) {
      bits a[per_lane], b[per_lane];
      load(range, base, a, b);
      ONEFOLD_UNROLL
      for (int i = 0; i < per_lane; ++i)
        whole &= (high_word(traits::term(a[i], b[i])) & 0x7FFFFFFF) >= least_product_word ||
                 traits::is_zero(a[i]) || traits::is_zero(b[i]);
    }
    return !any_lane(!whole);
  }

 private:
  // Past the end of the range: elements whose terms are -0, or in a square +0.
  template <class Range>
  ONEFOLD_DEVICE void load(const Range& range, std::int64_t base, bits (&a)[per_lane],
                           bits (&b)[per_lane]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < per_lane; ++i) {
      const std::int64_t r = base + i * std::int64_t(warp_lanes) + lane_;
      a[i] = traits::format::sign_bit, b[i] = traits::pairs ? bits(0) : a[i];
      if (r >= range.count) continue;
      a[i] = detail::to_bits(x_[range.at(r)]);
      b[i] = traits::pairs ? detail::to_bits(y_[range.at(r)]) : a[i];
    }
  }

  // Counts what is not finite, and makes it zeros. A lane's counts are at most `per_lane` each.
  ONEFOLD_DEVICE void take_out_specials(bits (&a)[per_lane], bits (&b)[per_lane]) const {
    bool special = false;
    ONEFOLD_UNROLL
    for (int i = 0; i < per_lane; ++i)
      special |= !traits::is_finite(a[i]) || !traits::is_finite(b[i]);
    if (!any_lane(special)) return;
    std::uint32_t nans = 0, invalid = 0, infinities = 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < per_lane; ++i) {
      if (traits::is_finite(a[i]) && traits::is_finite(b[i])) continue;
      const bool nan = detail::is_nan<T>(a[i]) || detail::is_nan<T>(b[i]);
      const bool zero =
          has_products<Accumulator> && (traits::is_zero(a[i]) || traits::is_zero(b[i]));
      nans += nan, invalid += !nan && zero;
      if (!nan && !zero) infinities += is_minus(a[i], b[i]) ? 1u << 16 : 1u;
      a[i] = b[i] = 0;
    }
    infinities = warp_add(infinities);
    digits_.count(traits::limbs + 1, warp_add(nans));
    digits_.count(traits::limbs + 2, infinities & 0xFFFF);
    digits_.count(traits::limbs + 3, infinities >> 16);
    if (has_products<Accumulator>) digits_.count(traits::limbs + 5, warp_add(invalid));
  }

  ONEFOLD_DEVICE static bool is_minus(bits a, bits b) {
    if (has_products<Accumulator>) a = bits(a ^ b);
    return Accumulator != accumulator::magnitudes && (a & traits::format::sign_bit) != 0;
  }

  const T *x_, *y_;
  unsigned lane_;
  digits digits_;
};

// The same as calls, with scalars for arguments: what they use is not in the way of the hot loop.
template <accumulator Accumulator, class T>
ONEFOLD_COLD int add_slowly(const T* x, const T* y, std::int64_t* words, std::int64_t split,
                            std::int64_t gap, std::int64_t count) {
  return exact_fallback<Accumulator, T>(x, y, words).add(element_range{split, gap, count});
}
template <accumulator Accumulator, class T>
ONEFOLD_COLD bool has_other_term(const T* x, const T* y, std::int64_t split, std::int64_t gap,
                                 std::int64_t count) {
  return exact_fallback<Accumulator, T>(x, y, nullptr).has_other({split, gap, count});
}
template <accumulator Accumulator, class T>
ONEFOLD_COLD bool errors_are_whole(const T* x, const T* y, std::int64_t first, std::int64_t count) {
  return exact_fallback<Accumulator, T>(x, y, nullptr).errors_are_whole({0, first, count});
}
template <accumulator Accumulator, class T>
ONEFOLD_COLD std::uint32_t largest_term(const T* x, const T* y, std::int64_t first,
                                        std::int64_t count) {
  return exact_fallback<Accumulator, T>(x, y, nullptr).largest_key({0, first, count});
}

/// Whether a range shows that not all terms are -0. One warp. Of almost every array the first
/// elements do: one look at them, before the call that reads all.
template <accumulator Accumulator, class T>
ONEFOLD_DEVICE bool shows_other(const T* x, const T* y, const element_range& range) {
  using traits = terms<Accumulator, T>;
  const std::int64_t r = lane_index();
  bool other = false;
  if (r < range.count) {
    const auto a = detail::to_bits(x[range.at(r)]);
    other = traits::is_other(a, traits::pairs ? detail::to_bits(y[range.at(r)]) : a);
  }
  return any_lane(other) || has_other_term<Accumulator>(x, y, range.split, range.gap, range.count);
}

}  // namespace onefold::cuda
