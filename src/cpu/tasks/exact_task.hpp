// SPDX-License-Identifier: Apache-2.0
// The accumulator of exact sums of elements or of their magnitudes, for tile_task: a wide sum, an
// open window, and exponent buckets for the other elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/tasks/tile_task.hpp"
#include "onefold/exact.hpp"

namespace onefold::cpu {

/// The accumulator for data that no window fits: one bucket for each sign and exponent, one integer
/// addition for each element.
///
/// A bucket adds whole bit patterns as 64-bit integers; `left` counts the additions down, and at
/// zero the bucket is emptied. Buckets of Inf and NaN take one element, so that each is examined.
/// Proof: docs/numerics.md, Theorem 9. Source: the "large" accumulator of R. Neal, arXiv
/// 1505.05571.
template <class T, detail::checks Checks>
class exponent_buckets {
 public:
  using sum_type = detail::wide_sum<T, Checks>;

  /// Adds x[0 … n); the contents of full buckets go to `sum`.
  void take(const T* x, std::int64_t n, sum_type& sum) {
    if (buckets_.empty()) allocate();
    std::uint64_t* const buckets = buckets_.data();
    std::uint16_t* const left = left_.data();
    for (std::int64_t i = 0; i < n; ++i) {
      const bits word = detail::to_bits(x[i]);
      const auto index = word >> format::fraction_bits;
      buckets[index] += word;
      if (--left[index] == 0) [[unlikely]]
        empty(int(index), word, sum);
    }
  }

  /// Moves everything into `sum`.
  void drain(sum_type& sum) {
    for (int index = 0; index < int(left_.size()); ++index)
      if (left_[std::size_t(index)] != capacity(index)) empty(index, 0, sum);
  }

 private:
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  static constexpr int indices = 2 * (format::max_field + 1);
  static constexpr int most_additions = int(
      std::min<std::uint64_t>(UINT16_MAX, std::uint64_t(1) << (64 - format::fraction_bits - 1)));

  static constexpr int field(int index) { return index & format::max_field; }
  static constexpr std::uint16_t capacity(int index) {
    return std::uint16_t(field(index) == format::max_field ? 1 : most_additions);
  }

  void allocate() {
    buckets_.assign(indices, 0);
    for (int index = 0; index < indices; ++index) left_.push_back(capacity(index));
  }

  void empty(int index, bits last, sum_type& sum) {
    if (field(index) == format::max_field) {
      sum.note_special(last);
    } else {
      const std::uint64_t count = capacity(index) - left_[std::size_t(index)];
      const std::uint64_t patterns = count * (std::uint64_t(index) << format::fraction_bits);
      int128 total = buckets_[std::size_t(index)] - patterns;  // the sum of the fractions
      if (field(index) > 0) total += int128(count) << format::fraction_bits;
      deposit(sum, index > format::max_field ? -total : total, std::max(field(index), 1) - 1);
    }
    buckets_[std::size_t(index)] = 0;
    left_[std::size_t(index)] = capacity(index);
  }

  std::vector<std::uint64_t> buckets_;
  std::vector<std::uint16_t> left_;
};

/// Adds x[0 … n) one by one, by integer arithmetic only.
template <class T, checks Checks>
void add_each(const T* x, std::int64_t n, detail::wide_sum<T, Checks>& sum,
              detail::path_counts& paths) {
  for (std::int64_t i = 0; i < n; ++i) sum.add(x[i]);
  paths.small += n;
}

/// The elements themselves, or their magnitudes.
template <accumulator Accumulator, class T, checks Checks>
class sum_way {
 public:
  using element = T;
  using format = detail::float_format<T>;
  using sum_type = detail::wide_sum<T, Checks>;
  static constexpr int windows = 1, depths = depths_of<Accumulator, T>;
  static constexpr int least_exponent = 1 - format::max_exponent;
  static constexpr const levels& shape(int depth) {
    return cascades<Accumulator, T>::depths[depth];
  }
  static constexpr int most_window(int depth) { return shape(depth).lanes->most(); }

  /// The exponent of the window for terms below 2^exponent.
  static constexpr int fitted(int depth, int exponent) {
    return shape(depth).fixed ? half_exponent : exponent;
  }
  static void open(cascade_window* window, int depth, int exponent) {
    window->open<Checks>(*shape(depth).lanes, shape(depth).window(), exponent);
  }

  void add_each(const T* x, const T*, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) total_.add(term(x[i]));
  }

  // The buckets add the terms in the element type.
  void add_tile(const T* x, const T*, std::int64_t n) {
    T terms[chains * chain_items * max_lanes];
    if (Accumulator == accumulator::magnitudes) std::transform(x, x + n, terms, term);
    buckets_.take(Accumulator == accumulator::magnitudes ? terms : x, n, total_);
  }

  // In almost every array the first element shows that not all terms are -0. A NaN is only counted:
  // all elements other than NaNs may still be -0.
  void note_elements(const T* x, const T*, std::int64_t n) {
    bool only = total_.only_negative_zeros();
    for (std::int64_t i = 0; only && i < n; ++i)
      only = detail::to_bits(term(x[i])) == format::sign_bit || detail::is_nan(x[i]);
    total_.note_elements(n, only);
  }

  void deposit(int, int128 k, int exponent) { cpu::deposit(total_, k, exponent - format::lsb); }
  void drain() { buckets_.drain(total_); }
  sum_type& total() { return total_; }

 private:
  static T term(T x) {
    if constexpr (Accumulator == accumulator::magnitudes)
      return detail::from_bits<T>(
          typename format::bits(detail::to_bits(x) & typename format::bits(~format::sign_bit)));
    return x;
  }

  sum_type total_;
  exponent_buckets<T, Checks> buckets_;
};

/// The sum of the elements: take(x, n), result(), paths().
template <class T, checks Checks = all_checks>
class exact_task {
 public:
  using sum_type = detail::wide_sum<T, Checks>;

  explicit exact_task(const exact_kernels<T>& kernels) : tiles_(kernels) {}

  void take(const T* x, std::int64_t n) { tiles_.take(x, nullptr, n); }

  /// The sum so far, as one wide sum.
  const sum_type& result() { return tiles_.result().total(); }
  const detail::path_counts& paths() const { return tiles_.paths(); }

 private:
  tile_task<sum_way<accumulator::total, T, Checks>> tiles_;
};

}  // namespace onefold::cpu
