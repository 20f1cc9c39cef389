// SPDX-License-Identifier: Apache-2.0
// The state of logsumexp: merging, and the logarithm of the sum.
#include "onefold/detail/log_sum.hpp"

#include "state/exponential.hpp"
#include "state/shifted_sum.hpp"

namespace onefold {

double exponential::of(double d) noexcept {
  if (!(d >= least_argument)) return 0;
  const double shifted = __builtin_fma(d, inverse_log_of_2, integer_ulp);
  const double k = shifted - integer_ulp;
  const double r = __builtin_fma(k, -log_of_2_low, __builtin_fma(k, -log_of_2_high, d));
  double p = long_polynomial[11];
  for (int i = 10; i >= 0; --i) p = __builtin_fma(p, r, long_polynomial[i]);
  return detail::from_bits<double>(detail::to_bits(p) + (detail::to_bits(shifted) << 52));
}

namespace detail {
using exponential::double_word;
using exponential::exact_sum;

void log_sum::append(const log_sum& next) noexcept {
  count_ += next.count_, nans_ += next.nans_, infinite_ |= next.infinite_;
  const exponential::shifted_sum both =
      exponential::appended({shift_, {high_, low_}}, {next.shift_, {next.high_, next.low_}},
                            [](double d) { return exponential::of(d); });
  shift_ = both.shift, high_ = both.sum.high, low_ = both.sum.low;
}

// Newton's method for exp(y) = s: y + (s exp(-y) - 1). A step reduces the error e to about -e^2 /
// 2. Starting from the exponent of s, the errors are at most 0.70, 0.31, 2^-4, 2^-9, 2^-19, 2^-38,
// then the rounding of y. The last step is kept separate: it is the part of the logarithm that a
// double y cannot hold.
scaled_pair log_sum::logarithm() const noexcept {
  const int field = int(to_bits(high_) >> float_format<double>::fraction_bits);
  double y = double(field - 1023) * exponential::log_of_2;
  double rest = 0;
  for (int step = 0; step < 7; ++step) {
    y = y + rest;
    const double inverse = exponential::of(-y);
    rest = __builtin_fma(high_, inverse, -1.0) + low_ * inverse;
  }
  const double_word sum = exact_sum(shift_, y);
  const double_word result = exact_sum(sum.high, sum.low + rest);
  return {result.high, result.low, 0};
}

bool log_sum::plausible(const std::int64_t (&word)[words], dtype input) noexcept {
  const auto [count, nans, shift_bits, high_bits, low_bits, infinite] = word;
  if (count < 0 || nans < 0 || nans > count || infinite < 0 || infinite > count - nans)
    return false;
  if (infinite > 1 || (!is_floating(input) && (nans != 0 || infinite != 0))) return false;
  const double shift = from_bits<double>(std::uint64_t(shift_bits));
  const double high = from_bits<double>(std::uint64_t(high_bits));
  const double low = from_bits<double>(std::uint64_t(low_bits));
  if (high_bits == 0) return shift_bits == 0 && low_bits == 0;
  if (count - nans - infinite < 1) return false;
  // The parts are finite and do not overlap. Every element adds at most exp(32), and the largest
  // element of the piece that set the shift adds 1.
  constexpr double most = 0x1.1p110;
  const auto finite = [](double x) { return x - x == 0; };
  return finite(shift) && finite(low) && high >= 0.5 && high < most && high + low == high;
}

}  // namespace detail
}  // namespace onefold
