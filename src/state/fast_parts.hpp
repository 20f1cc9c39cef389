// SPDX-License-Identifier: Apache-2.0
// What a fast reduction knows of one chunk: a plain sum, or a mean and a sum of squares around it.
#pragma once

#include <cstdint>

namespace onefold {

/// Accumulator: float for f16, bf16, f32; double for f64; std::uint64_t, which wraps, for integers.
template <class Accumulator>
struct fast_total {
  Accumulator value = Accumulator(-0.0);
  void append(const fast_total& next) noexcept { value = value + next.value; }
};

/// Count, mean and sum of squared distances from it. Elements that are not finite make the sum of
/// squares a NaN; the mean is then meaningless.
template <class Accumulator>
struct fast_moments {
  std::int64_t count = 0;
  Accumulator mean = 0;
  Accumulator squares = 0;

  /// Weights are quotients of the counts in binary64, rounded to the accumulator.
  /// Source: [chan1983], the formula that joins two parts.
  /// Error: docs/numerics/fast.md, Theorem F4.
  void append(const fast_moments& next) noexcept;
};

extern template struct fast_moments<float>;
extern template struct fast_moments<double>;

}  // namespace onefold
