// SPDX-License-Identifier: Apache-2.0
// A binary format of a few bits whose arithmetic is a table: small enough to try every input.
//
// Sums and differences are rounded by looking at all values there are, from the definition of
// nearest, ties to even.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace onefold::test {

/// Like IEEE 754 with ExponentBits and FractionBits: subnormals, Inf, NaN. Values are integers in
/// units of 2^lsb.
template <int ExponentBits, int FractionBits>
struct toy {
  std::uint8_t bits = 0;

  static constexpr int precision = FractionBits + 1;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int least = 1 - bias, most = bias;  // exponents of normal numbers
  static constexpr int lsb = least - FractionBits;
  static constexpr int special = (1 << ExponentBits) - 1;
  static constexpr int count = 1 << (1 + ExponentBits + FractionBits);
  static constexpr std::uint8_t sign = count / 2;
  static constexpr std::uint8_t infinity = special << FractionBits;

  constexpr bool finite() const { return (bits & infinity) != infinity; }
  /// In units of 2^lsb.
  constexpr std::int64_t units() const {
    const int field = (bits & infinity) >> FractionBits;
    const std::int64_t fraction = bits & ((1 << FractionBits) - 1);
    const auto magnitude = field == 0 ? fraction : (fraction | 1 << FractionBits) << (field - 1);
    return bits & sign ? -magnitude : magnitude;
  }

  /// A number of units, rounded.
  static toy nearest(std::int64_t units) { return nearest_quotient(units, 1); }

  /// units / divisor, rounded. Beyond half a unit above the largest number: Inf.
  static toy nearest_quotient(std::int64_t units, std::int64_t divisor) {
    const bool minus = units < 0;
    const std::int64_t wanted = minus ? -units : units;
    int best = 0;
    for (int i = 1; i <= infinity; ++i) {  // Inf is where the next number would be
      const auto away = [&](int at) {
        const std::int64_t from = magnitude(at) * divisor - wanted;
        return from < 0 ? -from : from;
      };
      if (away(i) < away(best) || (away(i) == away(best) && i % 2 == 0)) best = i;
    }
    return {std::uint8_t(best | (minus ? sign : 0))};
  }

  friend toy Add(toy a, toy b) { return sums()[a.bits][b.bits]; }
  friend toy Sub(toy a, toy b) { return sums()[a.bits][b.bits ^ sign]; }
  friend toy or_difference(toy a, toy b, toy c) {
    return {std::uint8_t(a.bits | (b.bits ^ c.bits))};
  }

 private:
  static constexpr std::int64_t magnitude(int at) {
    return at < infinity ? toy{std::uint8_t(at)}.units()
                         : std::int64_t(2 << FractionBits) << (special - 2);
  }

  static toy sum(toy a, toy b) {
    const toy nan{std::uint8_t(infinity | 1)};
    if (a.finite() && b.finite()) {
      const std::int64_t exact = a.units() + b.units();
      if (exact == 0) return {std::uint8_t(a.bits & b.bits & sign)};
      return nearest(exact);
    }
    const toy infinite = a.finite() ? b : a, other = a.finite() ? a : b;
    if ((infinite.bits & ~sign) != infinity) return nan;
    if (!other.finite() && other.bits != infinite.bits) return nan;
    return infinite;
  }

  using table = std::array<std::array<toy, count>, count>;
  static const table& sums() {
    static const table made = [] {
      table all;
      for (int a = 0; a < count; ++a)
        for (int b = 0; b < count; ++b)
          all[std::size_t(a)][std::size_t(b)] = sum({std::uint8_t(a)}, {std::uint8_t(b)});
      return all;
    }();
    return made;
  }
};

}  // namespace onefold::test
