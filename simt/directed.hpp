// SPDX-License-Identifier: Apache-2.0
#pragma once
// Doubles rounded upward and downward, whatever the rounding mode of the thread says: the result to
// nearest, and the sign of what it leaves over.

#include "simt/lane_calls.hpp"

#if !defined(__CUDACC__)

namespace onefold::simt {

ONEFOLD_WORD double next_double(double x, bool up) noexcept {
  return __builtin_nextafter(x, up ? __builtin_inf() : -__builtin_inf());
}

/// x + y. Source of the error: Dekker's fast TwoSum, which is exact wherever the sum is finite.
ONEFOLD_WORD double directed_sum(double x, double y, bool up) noexcept {
  const double nearest = x + y;
  if (!__builtin_isfinite(nearest)) {
    const bool overflow = __builtin_isfinite(x) && __builtin_isfinite(y);
    return overflow && __builtin_signbit(nearest) == up ? next_double(nearest, up) : nearest;
  }
  if (nearest == 0) {  // exact; rounded downward, zeros of two signs make -0
    const bool plus_zeros = x == 0 && !__builtin_signbit(x) && !__builtin_signbit(y);
    return up || plus_zeros ? nearest : -0.0;
  }
  const bool x_first = __builtin_fabs(x) >= __builtin_fabs(y);
  const double large = x_first ? x : y, small = x_first ? y : x;
  const double error = small - (nearest - large);
  return (up ? error > 0 : error < 0) ? next_double(nearest, up) : nearest;
}

/// A result beyond the range of doubles, to nearest: zero or an infinity.
ONEFOLD_WORD double directed_limit(double nearest, bool up) noexcept {
  const bool outward = (__builtin_signbit(nearest) != 0) != up;
  return outward == (nearest == 0) ? next_double(nearest, up) : nearest;
}

/// x y. With x = X 2^a, y = Y 2^b, x y = Q 2^c to nearest: x y - Q 2^c has the sign of
/// X Y - Q 2^(c - a - b), which does not underflow.
ONEFOLD_WORD double directed_product(double x, double y, bool up) noexcept {
  const double nearest = x * y;
  if (!__builtin_isfinite(x) || !__builtin_isfinite(y) || x == 0 || y == 0) return nearest;
  if (nearest == 0 || !__builtin_isfinite(nearest)) return directed_limit(nearest, up);
  const int a = __builtin_ilogb(x), b = __builtin_ilogb(y), c = __builtin_ilogb(nearest);
  const double product = __builtin_ldexp(__builtin_ldexp(nearest, -c), c - a - b);
  const double left = __builtin_fma(__builtin_ldexp(x, -a), __builtin_ldexp(y, -b), -product);
  return (up ? left > 0 : left < 0) ? next_double(nearest, up) : nearest;
}

/// What a sum is rounded by. Source: Knuth's TwoSum.
ONEFOLD_WORD double sum_error(double x, double y) noexcept {
  const double sum = x + y, part = sum - x;
  return (x - (sum - part)) + (y - part);
}

/// x y + z. Precondition: the error of x y is a double, so |x y| >= 2^-960 or it has none. Source:
/// ErrFmaNearest of Boldo and Muller, "Exact and approximated error of the FMA".
ONEFOLD_WORD double directed_fma(double x, double y, double z, bool up) noexcept {
  const double product = x * y, low = __builtin_fma(x, y, -product);
  if (!__builtin_isfinite(product) || low == 0) return directed_sum(product, z, up);
  const double nearest = __builtin_fma(x, y, z), inner = z + low, outer = product + inner;
  const double left = ((outer - nearest) + sum_error(product, inner)) + sum_error(z, low);
  return (up ? left > 0 : left < 0) ? next_double(nearest, up) : nearest;
}

/// x / y, as x y: the sign of X 2^(a - b - c) - Q Y, times that of y.
ONEFOLD_WORD double directed_quotient(double x, double y, bool up) noexcept {
  const double nearest = x / y;
  if (!__builtin_isfinite(x) || !__builtin_isfinite(y) || x == 0 || y == 0) return nearest;
  if (nearest == 0 || !__builtin_isfinite(nearest)) return directed_limit(nearest, up);
  const int a = __builtin_ilogb(x), b = __builtin_ilogb(y), c = __builtin_ilogb(nearest);
  const double top = __builtin_ldexp(__builtin_ldexp(x, -a), a - b - c);
  const double bottom = __builtin_ldexp(y, -b), quotient = __builtin_ldexp(nearest, -c);
  const double left = __builtin_fma(-quotient, bottom, top) * __builtin_copysign(1.0, y);
  return (up ? left > 0 : left < 0) ? next_double(nearest, up) : nearest;
}

/// The root of x. It is never subnormal.
ONEFOLD_WORD double directed_root(double x, bool up) noexcept {
  const double nearest = __builtin_sqrt(x);
  if (!(x > 0) || !__builtin_isfinite(x)) return nearest;
  const int half = __builtin_ilogb(nearest);
  const double root = __builtin_ldexp(nearest, -half), square = __builtin_ldexp(x, -2 * half);
  const double left = __builtin_fma(-root, root, square);
  return (up ? left > 0 : left < 0) ? next_double(nearest, up) : nearest;
}

/// x as a float.
ONEFOLD_WORD float directed_float(double x, bool up) noexcept {
  const float nearest = static_cast<float>(x);
  const bool wrong_side = up ? double(nearest) < x : double(nearest) > x;
  return wrong_side ? __builtin_nextafterf(nearest, up ? __builtin_inff() : -__builtin_inff())
                    : nearest;
}

}  // namespace onefold::simt

#endif
