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

/// The sign of an exact sum: -1, 0 or 1. The terms become an expansion, whose last component that
/// is not zero is larger than all before it together. Source: Shewchuk, "Adaptive precision
/// floating-point arithmetic", Grow-Expansion, by Knuth's TwoSum. Precondition: no sum overflows.
template <int Terms>
ONEFOLD_WORD int sign_of_sum(const double (&terms)[Terms]) noexcept {
  double parts[Terms];
  for (int i = 0; i < Terms; ++i) {
    double sum = terms[i];
    for (int k = 0; k < i; ++k) {
      const double x = sum, y = parts[k];
      sum = x + y;
      const double part = sum - x;
      parts[k] = (x - (sum - part)) + (y - part);
    }
    parts[i] = sum;
  }
  for (int i = Terms; i-- > 0;)
    if (parts[i] != 0) return parts[i] > 0 ? 1 : -1;
  return 0;
}

/// x y + z. With x = X 2^a, y = Y 2^b the rest has the sign of X Y + Z - R, both scaled by
/// 2^(-a - b): two doubles and two. A z that is far smaller only decides ties, one that is far
/// larger is the result to nearest.
ONEFOLD_WORD double directed_fma(double x, double y, double z, bool up) noexcept {
  const double nearest = __builtin_fma(x, y, z);
  if (!__builtin_isfinite(x) || !__builtin_isfinite(y) || !__builtin_isfinite(z)) return nearest;
  if (x == 0 || y == 0) return directed_sum(x * y, z, up);
  if (z == 0) return directed_product(x, y, up);
  if (!__builtin_isfinite(nearest)) return directed_limit(nearest, up);
  constexpr int far = 900;
  const int a = __builtin_ilogb(x), b = __builtin_ilogb(y), c = __builtin_ilogb(z);
  const double significand = __builtin_ldexp(x, -a), other = __builtin_ldexp(y, -b);
  const double product = significand * other;
  int left = product > 0 ? 1 : -1;
  if (c - a - b <= far) {
    const int exponent = c - a - b < -far ? -far : c - a - b;
    left = sign_of_sum({product, __builtin_fma(significand, other, -product),
                        __builtin_ldexp(__builtin_ldexp(z, -c), exponent),
                        -__builtin_ldexp(nearest, -a - b)});
  }
  if (left == 0) return nearest == 0 && !up ? -0.0 : nearest;
  return (left > 0) == up ? next_double(nearest, up) : nearest;
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
