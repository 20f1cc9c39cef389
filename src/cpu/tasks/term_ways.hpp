// SPDX-License-Identifier: Apache-2.0
// The accumulators of exact sums of products and of squares, and of exact moments, for tile_task.
//
// Terms that no window accepts are added to the exact state one product at a time, by integer
// arithmetic: the exact fallback.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/tasks/tile_task.hpp"
#include "onefold/detail/exact_dot.hpp"
#include "onefold/detail/exact_moments.hpp"
#include "onefold/exact.hpp"

namespace onefold::cpu {

/// What products and squares share: the window of a chain of terms, and the errors of the products
/// if there are any.
template <accumulator Accumulator, class T, checks Checks>
struct term_windows {
  using element = T;
  using format = detail::float_format<T>;
  static constexpr int windows = 1, depths = depths_of<Accumulator, T>;
  static constexpr int least_exponent = std::max(2 - 2 * format::max_exponent, -1022);
  static constexpr int fitted(int, int exponent) { return exponent; }
  static constexpr int most_window(int) { return double_lanes.most(); }

  static void open(cascade_window* window, int depth, int exponent) {
    window->open<Checks>(double_lanes, cascades<Accumulator, T>::depths[depth].window(), exponent);
  }
};

/// Products of two arrays, or squares of one.
template <accumulator Accumulator, class T, checks Checks>
class term_way : public term_windows<Accumulator, T, Checks> {
 public:
  using format = detail::float_format<T>;

  void add_each(const T* x, const T* y, std::int64_t n) {
    const T* const other = Accumulator == accumulator::squares ? x : y;
    for (std::int64_t i = 0; i < n; ++i) total_.add(x[i], other[i]);
  }

  // Counts are kept already; only nonzero terms matter here.
  void add_tile(const T* x, const T* y, std::int64_t n) {
    const T* const other = Accumulator == accumulator::squares ? x : y;
    detail::wide_dot<T, Checks> tile;
    for (std::int64_t i = 0; i < n; ++i) tile.add(x[i], other[i]);
    tile.note_elements(-n, true);
    total_.merge(tile);
  }

  // In almost every array the first product shows that not all products are -0.
  void note_elements(const T* x, const T* y, std::int64_t n) {
    const T* const other = Accumulator == accumulator::squares ? x : y;
    bool only = total_.only_negative_zeros();
    for (std::int64_t i = 0; only && i < n; ++i) only = says_nothing(x[i], other[i]);
    total_.note_elements(n, only);
  }

  void deposit(int, int128 k, int exponent) { cpu::deposit(total_, k, exponent - 2 * format::lsb); }
  void drain() {}
  detail::wide_dot<T, Checks>& total() { return total_; }

 private:
  // -0, or a NaN, which does not exclude that all others are -0.
  static bool says_nothing(T x, T y) {
    const auto a = detail::to_bits(x), b = detail::to_bits(y);
    const auto zero = [](auto bits) { return (bits & ~format::sign_bit) == 0; };
    const auto infinite = [](auto bits) { return (bits & ~format::sign_bit) == format::infinity; };
    if (detail::is_nan(x) || detail::is_nan(y)) return true;
    const bool minus = ((a ^ b) & format::sign_bit) != 0;
    return minus && (zero(a) || zero(b)) && !infinite(a) && !infinite(b);
  }

  detail::wide_dot<T, Checks> total_;
};

/// Elements and their squares in one pass: window 0 holds the squares, window 1 the elements.
///
/// A window is identified by the exponent E of its elements: elements up to 2^E pass the first
/// level of both windows. The elements' last unit u is no smaller than the square root of the
/// squares' last unit. So elements that pass the residual check leave no residual among the
/// squares, whose last unit is at least 2^-1074. Proof: docs/numerics/moments-loop.md.
template <class T, checks Checks>
class moments_way {
 public:
  using element = T;
  using format = detail::float_format<T>;
  static constexpr int windows = 2, depths = depths_of<accumulator::moments, T>;
  static constexpr int least_exponent = 1 - format::max_exponent;
  static constexpr int most_window(int) { return double_lanes.most() / 2; }

  /// The exponent of the squares' last unit in a window of E = 0; that of a window of E is 2 E
  /// larger.
  static constexpr int last_unit(int depth) {
    const int last = cascades<accumulator::moments, T>::depths[depth].window() - 1;
    return double_lanes.first_level(0) - double_lanes.step() * last - 52;
  }
  /// The squares' last unit is at least 2^-1074.
  static constexpr int fitted(int depth, int exponent) {
    return std::max(exponent, (-1074 - last_unit(depth)) / 2);
  }

  static void open(cascade_window* window, int depth, int exponent) {
    const levels count = cascades<accumulator::moments, T>::depths[depth];
    window[0].open<Checks>(double_lanes, count.window(), 2 * exponent);
    const int least_unit = exponent + last_unit(depth) / 2;
    window[1].open<Checks>(double_lanes, count.sum, exponent, least_unit + 52);
  }

  void add_each(const T* x, const T*, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) total_.add(x[i]);
  }

  void add_tile(const T* x, const T*, std::int64_t n) {
    detail::moments<T, Checks> tile;
    for (std::int64_t i = 0; i < n; ++i) tile.add(x[i]);
    tile.sum().note_elements(-n, true);
    tile.squares().note_elements(-n, true);
    total_.merge(tile);
  }

  // In almost every array the first element shows that not all are -0, and not all NaN.
  void note_elements(const T* x, const T*, std::int64_t n) {
    bool zeros = total_.sum().only_negative_zeros(), nans = total_.squares().only_negative_zeros();
    for (std::int64_t i = 0; (zeros || nans) && i < n; ++i) {
      const bool nan = detail::is_nan(x[i]);
      zeros = zeros && (nan || detail::to_bits(x[i]) == format::sign_bit);
      nans = nans && nan;
    }
    total_.sum().note_elements(n, zeros);
    total_.squares().note_elements(n, nans);
  }

  void deposit(int window, int128 k, int exponent) {
    if (window == 0)
      cpu::deposit(total_.squares(), k, exponent - 2 * format::lsb);
    else
      cpu::deposit(total_.sum(), k, exponent - format::lsb);
  }
  void drain() {}
  detail::moments<T, Checks>& total() { return total_; }

 private:
  detail::moments<T, Checks> total_;
};

}  // namespace onefold::cpu
