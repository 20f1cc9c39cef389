// SPDX-License-Identifier: Apache-2.0
// The path for data no window fits: one integer bucket for each exponent, no checks, no branches.
//
// A significand is an integer below 2^P; a bucket is 128 bits wide for f64 (2^74 additions) and 64
// bits for the narrow types (2^39), so it never needs a carry in between.
// Source: the "large" accumulator of R. Neal, arXiv 1505.05571, with wider buckets and no counts.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "onefold/exact.hpp"

namespace onefold::cpu {

__extension__ typedef __int128 int128;

/// Adds k * 2^shift units to a wide sum; a negative shift divides, and the division is exact.
template <class Sum>
void deposit(Sum& sum, int128 k, int shift) {
  if (shift < 0) k >>= -shift, shift = 0;
  sum.deposit(std::int64_t(k & INT64_MAX), shift);
  if (const auto high = std::int64_t(k >> 63); high != 0) sum.deposit(high, shift + 63);
}

template <class T, checks Checks>
class exponent_buckets {
 public:
  using sum_type = detail::wide_sum<T, Checks>;

  /// Adds x[0 … n); Inf and NaN are noted in `sum`.
  void take(const T* x, std::int64_t n, sum_type& sum) {
    if (!buckets_) buckets_ = std::make_unique<bucket[]>(fields);
    bucket* const buckets = buckets_.get();
    for (std::int64_t i = 0; i < n; ++i) {
      const bits word = detail::to_bits(x[i]);
      const int field = int((word & format::infinity) >> format::fraction_bits);
      if (field == format::max_field) [[unlikely]] {
        sum.note_special(word);
        continue;
      }
      // Signs are as good as random where this path is taken: no branch on them.
      const auto hidden = field == 0 ? 0 : std::int64_t(format::hidden_bit);
      const auto magnitude = std::int64_t(word & (format::hidden_bit - 1)) | hidden;
      const auto sign = -std::int64_t((word & format::sign_bit) != 0);
      buckets[field] += (magnitude ^ sign) - sign;
    }
    used_ += n;
    if (used_ >= most_items) drain(sum);
  }

  /// Moves everything into `sum`.
  void drain(sum_type& sum) {
    if (used_ == 0) return;
    used_ = 0;
    for (int field = 0; field < fields; ++field) {
      if (buckets_[field] == 0) continue;
      deposit(sum, buckets_[field], field == 0 ? 0 : field - 1);
      buckets_[field] = 0;
    }
  }

 private:
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  using bucket = std::conditional_t<sizeof(T) == 8, int128, std::int64_t>;
  static constexpr int fields = format::max_field;
  static constexpr std::int64_t most_items = std::int64_t(1) << 38;

  std::unique_ptr<bucket[]> buckets_;
  std::int64_t used_ = 0;
};

}  // namespace onefold::cpu
