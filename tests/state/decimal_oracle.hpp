// SPDX-License-Identifier: Apache-2.0
// What a sum of decimals must be: rational arithmetic by GMP, a rounding that is written again,
// and makers of numbers that are hard to read and to round. Nothing of src/ is used.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace onefold::test {

inline mpz_class power(unsigned base, unsigned long exponent) {
  mpz_class out;
  mpz_ui_pow_ui(out.get_mpz_t(), base, exponent);
  return out;
}

/// 10^exponent or 2^exponent, as a fraction.
inline mpq_class scaled(unsigned base, long exponent) {
  return exponent >= 0 ? mpq_class(power(base, static_cast<unsigned long>(exponent)))
                       : mpq_class(1, power(base, static_cast<unsigned long>(-exponent)));
}

/// The value of a legal, finite number.
inline mpq_class decimal_value(std::string text) {
  long exponent = 0;
  if (const auto e = text.find_first_of("eE"); e != std::string::npos) {
    exponent = std::stol(text.substr(e + 1));
    text.resize(e);
  }
  if (const auto point = text.find('.'); point != std::string::npos) {
    exponent -= static_cast<long>(text.size() - point - 1);
    text.erase(point, 1);
  }
  if (text.front() == '+') text.erase(0, 1);
  mpq_class out = mpz_class(text, 10) * scaled(10, exponent);
  out.canonicalize();
  return out;
}

/// q to the nearest T, ties to even: floor and remainder in units of the last place.
template <class T>
T nearest(const mpq_class& q) {
  using limits = std::numeric_limits<T>;
  if (q == 0) return 0;
  const mpq_class a = abs(q);
  long top = static_cast<long>(mpz_sizeinbase(a.get_num_mpz_t(), 2)) -
             static_cast<long>(mpz_sizeinbase(a.get_den_mpz_t(), 2));
  if (a < scaled(2, top)) --top;  // now 2^top <= a < 2^(top + 1)
  const long unit = std::max<long>(top - limits::digits + 1, limits::min_exponent - limits::digits);
  const mpq_class units = a / scaled(2, unit);
  mpz_class whole = units.get_num() / units.get_den();
  const int side = cmp(units - whole, mpq_class(1, 2));
  if (side > 0 || (side == 0 && mpz_odd_p(whole.get_mpz_t()))) ++whole;
  const T magnitude = top > limits::max_exponent
                          ? limits::infinity()
                          : static_cast<T>(std::ldexp(whole.get_d(), static_cast<int>(unit)));
  return sgn(q) < 0 ? -magnitude : magnitude;
}

/// A binary fraction m * 2^e as the decimal that it is.
inline std::string in_decimal(const mpz_class& m, long e) {
  if (e >= 0) return mpz_class(m * power(2, static_cast<unsigned long>(e))).get_str();
  return mpz_class(m * power(5, static_cast<unsigned long>(-e))).get_str() + "e" +
         std::to_string(e);
}

class decimal_maker {
 public:
  explicit decimal_maker(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  std::string digits(std::size_t count) {
    std::string out(count, '0');
    const auto style = below(8);  // zeros, nines, or anything
    for (auto& digit : out)
      digit = style == 0 ? '0' : style == 1 ? '9' : static_cast<char>('0' + below(10));
    return out;
  }

  std::string sign() { return one_in(3) ? "-" : one_in(8) ? "+" : ""; }

  /// Any form the grammar has.
  std::string any() {
    const std::size_t most = one_in(200) ? 900 : one_in(10) ? 40 : 12;
    std::string whole = digits(below(most)), fraction = digits(below(most));
    if (whole.empty() && fraction.empty()) whole = "0";
    std::string out = sign() + whole;
    if (!fraction.empty() || one_in(8)) out += "." + fraction;
    if (!one_in(3)) return out;
    const long range = one_in(50) ? 3000 : one_in(3) ? 400 : 20;
    const long exponent = static_cast<long>(below(static_cast<std::uint64_t>(2 * range))) - range;
    return out + (one_in(2) ? "e" : "E") + (exponent >= 0 && one_in(2) ? "+" : "") +
           std::to_string(exponent);
  }

  /// A number of two decimals, as prices are.
  std::string price() { return sign() + std::to_string(below(100000)) + "." + digits(2); }

  /// Half way between two neighbours of T, or next to that in a digit far after it.
  template <class T>
  std::string tie() {
    using limits = std::numeric_limits<T>;
    constexpr int lowest = limits::min_exponent - limits::digits;
    constexpr int highest = limits::max_exponent - limits::digits;
    const bool edge = one_in(4);  // subnormals and the largest numbers
    long unit = lowest + static_cast<long>(below(highest - lowest + 1));
    if (edge) unit = one_in(2) ? lowest : highest;
    mpz_class m = static_cast<unsigned long>(below(std::uint64_t(1) << limits::digits));
    if (edge && one_in(3)) m = power(2, limits::digits) - 1;
    if (unit != lowest) mpz_setbit(m.get_mpz_t(), limits::digits - 1);
    auto text = in_decimal(2 * m + 1, unit - 1);
    return sign() + (one_in(3) ? text : nudged(text));
  }

 private:
  // One unit up or down, in a digit at a random distance after the last.
  std::string nudged(std::string text) {
    const auto e = std::min(text.find('e'), text.size());
    long exponent = e < text.size() ? std::stol(text.substr(e + 1)) : 0;
    const auto zeros = below(one_in(4) ? 2000 : 30);
    mpz_class m(text.substr(0, e) + std::string(zeros, '0'), 10);
    exponent -= static_cast<long>(zeros);
    if (one_in(2))
      ++m;
    else
      --m;
    return m.get_str() + "e" + std::to_string(exponent);
  }

  std::mt19937_64 random_;
};

}  // namespace onefold::test
