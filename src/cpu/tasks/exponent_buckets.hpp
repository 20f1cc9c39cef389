// SPDX-License-Identifier: Apache-2.0
// The accumulator for data that no window fits: one bucket for each sign and exponent, one integer
// addition for each element.
//
// A bucket adds whole bit patterns as 64-bit integers. All of its elements share sign and exponent
// field, the top bits `index`, so after c additions
//   bucket = c * (index << F) + sum of fractions        (mod 2^64, F fraction bits)
// and the sum of fractions, below c * 2^F <= 2^64, can be recovered. `left` counts c down; at zero
// the bucket is emptied. Buckets of Inf and NaN take one element, so that each is examined.
// Source: the "large" accumulator of R. Neal, arXiv 1505.05571.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/kernels/sum/deposit.hpp"
#include "onefold/exact.hpp"

namespace onefold::cpu {

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

}  // namespace onefold::cpu
