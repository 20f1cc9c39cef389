// SPDX-License-Identifier: Apache-2.0
// The states of fast reductions of one chunk: a plain sum, or a mean and the squared deviations
// from it.
#pragma once

#include <cstdint>

namespace onefold {

/// Accumulator: float for f16, bf16, f32; double for f64; std::uint64_t, which wraps around, for
/// integers.
template <class Accumulator>
struct fast_total {
  Accumulator value = Accumulator(-0.0);
  void append(const fast_total& next) noexcept { value = value + next.value; }
};

/// Count, mean and sum of squared deviations from the mean. Elements that are not finite make the
/// sum of squares a NaN; the mean is then meaningless.
template <class Accumulator>
struct fast_moments {
  std::int64_t count = 0;
  Accumulator mean = 0;
  Accumulator squares = 0;

  /// Merges two parts by the formula of [chan1983]. Weights are quotients of the counts in
  /// binary64, rounded to the accumulator. Error: docs/numerics/fast.md, Theorem F4.
  void append(const fast_moments& next) noexcept;
};

extern template struct fast_moments<float>;
extern template struct fast_moments<double>;

}  // namespace onefold
